// SPDX-License-Identifier: Apache-2.0
// Files dropped onto the page or chosen, what to find in them, the progress, and the way to stop.
import type { StepOptions } from '../../../wasm/toccata.mjs';
import { button, check, choice, element } from '../dom';
import { Search, frameNames, presetNames, type Found } from './client';
import { exampleFrames } from './example';

export class EnginePanel {
  readonly root: HTMLElement;
  private search = new Search();
  private files: File[] = [];
  private list = element('ul', { class: 'files', 'aria-label': 'Files' });
  private sentence = element('p', { class: 'sentence', role: 'alert' });
  private bar = element('progress', { max: 1, value: 0, 'aria-label': 'Progress', hidden: true });
  private find: HTMLButtonElement;
  private cancel: HTMLButtonElement;
  private picker = element('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Files to open' });
  private preset = choice('Preset', [['auto', 'auto']], 'auto', () => {});
  private answer = choice(
    'Answer',
    [
      ['all', 'all contacts'],
      ['first', 'the first'],
      ['any', 'any one'],
    ],
    'all',
    () => {},
  );
  private surface = check('Surface of volumes only', false, () => {});

  constructor(private show: (found: Found) => Promise<void>) {
    this.picker.addEventListener('change', () => {
      this.take([...(this.picker.files ?? [])]);
      this.picker.value = '';
    });
    void presetNames().then((names) => {
      const options = names.map((name) => element('option', { value: name }, name));
      this.preset.select.replaceChildren(...options);
      this.preset.select.value = 'auto';
    });
    this.find = button('Find contacts', 'Find contacts', () => void this.start(), { class: 'main-button', disabled: true });
    this.cancel = button('Cancel', 'Cancel', () => this.search.stop(), { hidden: true });
    this.root = element(
      'section',
      { class: 'engine', 'aria-label': 'Find contacts' },
      element(
        'p',
        {},
        'Drop two meshes here, a sequence of frames, or an animated glTF: the same elements, moved. Toccata runs in this ' +
          'page. No file leaves this machine.',
      ),
      element(
        'div',
        { class: 'row-of-buttons' },
        button('Choose files', 'Choose files', () => this.picker.click()),
        button('Try an example', 'Try an example: a cloth falls onto a ball', () => {
          this.take(exampleFrames());
          void this.start();
        }),
      ),
      this.picker,
      this.list,
      element('div', { class: 'settings' }, this.preset, this.answer, this.surface),
      element('div', { class: 'row-of-buttons' }, this.find, this.cancel),
      this.bar,
      this.sentence,
    );
  }

  /// Files replace those before them.
  take(files: File[]): void {
    if (!files.length) return;
    this.files = files;
    const frames = frameNames(files.map((file) => file.name));
    this.list.replaceChildren(
      ...frames.slice(0, 8).map((name) => element('li', {}, name)),
      ...(frames.length > 8 ? [element('li', {}, `and ${frames.length - 8} more`)] : []),
    );
    this.sentence.textContent = '';
    this.find.disabled = false;
  }

  async start(): Promise<void> {
    const options: StepOptions = {
      preset: this.preset.select.value,
      answer: this.answer.select.value as StepOptions['answer'],
      surface: this.surface.box.checked,
    };
    this.busy(true);
    this.sentence.textContent = '';
    try {
      await this.show(await this.search.run(this.files, options, (done) => (this.bar.value = done)));
    } catch (error) {
      this.sentence.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.busy(false);
    }
  }

  private busy(on: boolean): void {
    this.bar.hidden = this.cancel.hidden = !on;
    this.bar.value = 0;
    this.find.disabled = on;
  }
}

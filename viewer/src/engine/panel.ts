// SPDX-License-Identifier: Apache-2.0
// Files dropped onto the page or chosen, what to find in them, the progress, and the way to stop.
import type { OpenOptions, StepOptions } from '../../../wasm/toccata.mjs';
import { button, check, choice, element } from '../dom';
import { Search, frameNames, presetNames, type Found, type Given } from './client';
import { exampleFrames } from './example';

/// Some names, and how many more there are.
export const shortList = (names: string[]): string => names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '');

export class EnginePanel {
  readonly root: HTMLElement;
  private search = new Search();
  private files: Given[] = [];
  private list = element('ul', { class: 'files', 'aria-label': 'Files' });
  private others = element('p', { class: 'quiet others' });
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
  private clip = choice('Animation', [['', 'the first that moves']], '', () => {});
  private rate = element('input', { type: 'number', min: 1, max: 1000, value: 30, 'aria-label': 'Frames a second' });
  private rateField = element('label', { class: 'field', hidden: true }, element('span', {}, 'Frames a second'), this.rate);

  constructor(private show: (found: Found) => Promise<void>) {
    this.picker.addEventListener('change', () => {
      this.take([...(this.picker.files ?? [])].map((file) => ({ name: file.name, file })));
      this.picker.value = '';
    });
    void presetNames().then((names) => {
      const options = names.map((name) => element('option', { value: name }, name));
      this.preset.select.replaceChildren(...options);
      this.preset.select.value = 'auto';
    });
    this.find = button('Find contacts', 'Find contacts', () => void this.start(), { class: 'main-button', disabled: true });
    this.cancel = button('Cancel', 'Cancel', () => this.search.stop(), { hidden: true });
    this.clip.hidden = true;
    this.root = element(
      'section',
      { class: 'engine', 'aria-label': 'Find contacts' },
      element(
        'p',
        {},
        'Drop two meshes here, a sequence of frames or its folder, or an animated glTF: the same elements, moved. Toccata runs in this ' +
          'page. No file leaves this machine.',
      ),
      element(
        'div',
        { class: 'row-of-buttons' },
        button('Choose files', 'Choose files', () => this.picker.click()),
        button('Try an example', 'Try an example: a cloth falls onto a ball', () => {
          this.take(exampleFrames().map((file) => ({ name: file.name, file })));
          void this.start();
        }),
      ),
      this.picker,
      this.list,
      this.others,
      element('div', { class: 'settings' }, this.preset, this.answer, this.clip, this.rateField, this.surface),
      element('div', { class: 'row-of-buttons' }, this.find, this.cancel),
      this.bar,
      this.sentence,
    );
  }

  /// Files replace those before them.
  take(files: Given[]): void {
    if (!files.length) return;
    this.files = files;
    this.showClips([]);
    const names = files.map(({ name }) => name);
    const frames = frameNames(names);
    const others = names.filter((name) => !frames.includes(name));
    this.others.textContent = others.length ? `Read only if one of these names them: ${shortList(others)}` : '';
    this.list.replaceChildren(
      ...frames.slice(0, 8).map((name) => element('li', {}, name)),
      ...(frames.length > 8 ? [element('li', {}, `and ${frames.length - 8} more`)] : []),
    );
    this.sentence.textContent = '';
    this.find.disabled = false;
  }

  /// The animations of the last files, to choose another and find its contacts.
  private showClips(names: string[]): void {
    const chosen = names.includes(this.clip.select.value) ? this.clip.select.value : '';
    this.clip.select.replaceChildren(
      element('option', { value: '' }, 'the first that moves'),
      ...names.map((name) => element('option', { value: name }, name)),
    );
    this.clip.select.value = chosen;
    this.clip.hidden = names.length < 2;
    this.rateField.hidden = names.length < 1;
  }

  async start(): Promise<void> {
    const options: StepOptions & OpenOptions = {
      preset: this.preset.select.value,
      answer: this.answer.select.value as StepOptions['answer'],
      surface: this.surface.box.checked,
      clip: this.clip.select.value,
      rate: Number(this.rate.value) || 30,
    };
    this.busy(true);
    this.sentence.textContent = '';
    try {
      const found = await this.search.run(this.files, options, (done) => (this.bar.value = done));
      this.showClips(found.clips);
      await this.show(found);
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

// SPDX-License-Identifier: Apache-2.0
// Steps of a running program, asked for one request after the other: the program answers when it has new ones.
import type { FrameInfo, Model, PageData, StepInfo } from './data';

/// What the program sends: the lists begin at these numbers.
export interface LiveData extends Partial<PageData> {
  live: { ended: boolean; first?: number; frame?: number; step?: number; surface?: number };
}

const noFrame = { name: '', time: null } as unknown as FrameInfo;
const noStep = { surface: -1, contacts: { count: 0, pairs: [] } } as unknown as StepInfo;

function put<T>(list: T[], at: number, items: T[], blank: T): void {
  while (list.length < at) list.push(blank);
  list.splice(at, items.length, ...items);
}

/// Steps before the first one that the program still has are blank.
export function mergeSteps(data: PageData, news: LiveData): void {
  const { frame = 0, step = 0, surface = 0 } = news.live;
  put(data.frames, frame, news.frames ?? [], noFrame);
  put(data.surfaces, surface, news.surfaces ?? [], { boundary: 0 } as never);
  put(data.steps, step, news.steps ?? [], noStep);
  data.parts = news.parts ?? data.parts;
}

/// Ask for the steps behind those that are known. Null when the program has gone.
export async function askSteps(steps: number, surfaces: number): Promise<LiveData | null> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const answer = await fetch(`steps/${steps}/${surfaces}`);
      if (answer.ok) return (await answer.json()) as LiveData;
    } catch {
      // The program may be busy, or gone.
    }
    await new Promise((done) => setTimeout(done, 300));
  }
  return null;
}

/// Follow the program until it ends. `grown` is called with each new list of steps.
export async function followProgram(model: Model, grown: () => void, signal: AbortSignal): Promise<void> {
  const { data } = model;
  while (!signal.aborted) {
    const news = await askSteps(data.steps.length, data.surfaces.length);
    if (!news || signal.aborted) return;
    mergeSteps(data, news);
    model.first = news.live.first ?? model.first;
    if (news.steps?.length) grown();
    if (news.live.ended) return;
  }
}

/// The first steps of a program. Waits for them.
export async function firstSteps(): Promise<PageData | null> {
  for (;;) {
    const news = await askSteps(0, 0);
    if (!news) return null;
    if (news.steps?.length) {
      const data = { ...news, frames: [], surfaces: [], steps: [], parts: [] } as unknown as PageData;
      mergeSteps(data, news);
      return data;
    }
    if (news.live.ended) return null;
  }
}

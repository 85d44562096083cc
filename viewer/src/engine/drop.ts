// SPDX-License-Identifier: Apache-2.0
// The files of a drop, those in dropped folders included, with their paths: a .pvd names its pieces by path.
import type { Given } from './client';

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((done, fail) => entry.file(done, fail));

/// A reader gives some entries at a time, and none at the end.
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
    if (!some.length) return all;
    all.push(...some);
  }
}

async function walk(entry: FileSystemEntry): Promise<Given[]> {
  if (entry.isFile) return [{ name: entry.fullPath.replace(/^\//, ''), file: await fileOf(entry as FileSystemFileEntry) }];
  const inside = await entriesOf(entry as FileSystemDirectoryEntry);
  return (await Promise.all(inside.map(walk))).flat();
}

/// The browser forgets the drop after the event: everything is asked for at once.
export async function droppedFiles(transfer: DataTransfer | null): Promise<Given[]> {
  const plain = [...(transfer?.files ?? [])].map((file) => ({ name: file.name, file }));
  const entries = [...(transfer?.items ?? [])].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  return (await Promise.all(entries.map((entry) => (entry ? walk(entry) : [])))).flat();
}

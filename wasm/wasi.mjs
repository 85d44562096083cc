// SPDX-License-Identifier: Apache-2.0
// The system calls that the engine needs, over files in memory. No call reaches the machine.

const errors = { badFile: 8, exists: 20, invalid: 28, isFolder: 31, missing: 44, unknown: 52 };
const FIRST_FILE = 4; // 0 to 2 are the standard streams, 3 is the folder of all files

/// A file that grows by doubling.
class Content {
  constructor(bytes) {
    this.bytes = bytes;
    this.size = bytes.length;
  }

  put(at, from) {
    const end = at + from.length;
    if (end > this.bytes.length) {
      const grown = new Uint8Array(Math.max(end, 2 * this.bytes.length));
      grown.set(this.bytes.subarray(0, this.size));
      this.bytes = grown;
    }
    this.bytes.set(from, at);
    this.size = Math.max(this.size, end);
  }
}

export class Files {
  constructor() {
    this.named = new Map();
    this.open = new Map();
    this.next = FIRST_FILE;
    this.memory = null;
  }

  /// Give a file a content. Later writes of the engine do not change the caller's bytes.
  write(name, bytes) {
    this.named.set(name, Object.assign(new Content(bytes), { given: true }));
  }

  /// Given files that nothing has opened.
  unused() {
    return [...this.named].filter(([, content]) => content.given && !content.used).map(([name]) => name);
  }

  /// A file to read. Browsers hand over files without their folders: the last part of a path is enough.
  find(name) {
    return this.named.get(name) ?? this.named.get(name.slice(name.lastIndexOf('/') + 1));
  }

  read(name) {
    const content = this.named.get(name);
    return content ? content.bytes.slice(0, content.size) : null;
  }

  remove(name) {
    this.named.delete(name);
  }

  view() {
    return new DataView(this.memory.buffer);
  }

  name(pointer, length) {
    const text = new TextDecoder().decode(new Uint8Array(this.memory.buffer, pointer >>> 0, length >>> 0));
    return text.replace(/^(\.?\/)+/, '');
  }

  setStat(pointer, content) {
    const view = this.view();
    for (let i = 0; i < 64; i += 8) view.setBigUint64(pointer + i, 0n, true);
    view.setUint8(pointer + 16, content ? 4 : 3);
    view.setBigUint64(pointer + 24, 1n, true);
    view.setBigUint64(pointer + 32, BigInt(content?.size ?? 0), true);
    return 0;
  }

  /// Move bytes between a file and the pieces of memory that the engine names. `at` is the place in the file.
  transfer(pieces, count, at, copy) {
    const view = this.view();
    let moved = 0;
    for (let i = 0; i < count; i++) {
      const pointer = view.getUint32(pieces + 8 * i, true);
      const length = view.getUint32(pieces + 8 * i + 4, true);
      const done = copy(at + moved, new Uint8Array(this.memory.buffer, pointer, length));
      moved += done;
      if (done < length) break;
    }
    return moved;
  }

  readAt(file, pieces, count, at) {
    const { content } = file;
    return this.transfer(pieces >>> 0, count, at, (from, to) => {
      const part = content.bytes.subarray(Math.min(from, content.size), Math.min(from + to.length, content.size));
      to.set(part);
      return part.length;
    });
  }

  imports() {
    const files = this;
    const u32 = (pointer, value) => (files.view().setUint32(pointer >>> 0, value, true), 0);
    const u64 = (pointer, value) => (files.view().setBigUint64(pointer >>> 0, value, true), 0);
    const calls = {
      environ_get: () => 0,
      environ_sizes_get: (count, size) => u32(count, 0) || u32(size, 0),
      clock_time_get: (id, precision, out) =>
        u64(out, BigInt(Math.round(1e6 * (id === 0 ? Date.now() : performance.now())))),
      fd_prestat_get: (fd, out) => (fd === 3 ? u32(out, 0) || u32(out + 4, 1) : errors.badFile),
      fd_prestat_dir_name: (fd, out) => (files.view().setUint8(out >>> 0, 47), 0),
      fd_fdstat_get: (fd, out) => {
        if (fd >= FIRST_FILE && !files.open.has(fd)) return errors.badFile;
        const view = files.view();
        for (let i = 0; i < 24; i += 8) view.setBigUint64((out >>> 0) + i, i ? 0xffffffffn : 0n, true);
        view.setUint8(out >>> 0, fd === 3 ? 3 : fd < 3 ? 2 : 4);
        return 0;
      },
      fd_fdstat_set_flags: () => 0,
      fd_close: (fd) => (files.open.delete(fd) ? 0 : errors.badFile),
      fd_filestat_get: (fd, out) =>
        files.open.has(fd) ? files.setStat(out >>> 0, files.open.get(fd).content) : errors.badFile,
      fd_read: (fd, pieces, count, out) => {
        const file = files.open.get(fd);
        if (!file) return errors.badFile;
        const got = files.readAt(file, pieces, count, file.at);
        file.at += got;
        return u32(out, got);
      },
      fd_pread: (fd, pieces, count, at, out) => {
        const file = files.open.get(fd);
        return file ? u32(out, files.readAt(file, pieces, count, Number(at))) : errors.badFile;
      },
      fd_write: (fd, pieces, count, out) => {
        const file = files.open.get(fd);
        if (!file) return errors.badFile;
        const put = files.transfer(pieces >>> 0, count, file.at, (at, from) => (file.content.put(at, from), from.length));
        file.at += put;
        return u32(out, put);
      },
      fd_seek: (fd, offset, whence, out) => {
        const file = files.open.get(fd);
        if (!file) return errors.badFile;
        const base = whence === 0 ? 0 : whence === 1 ? file.at : file.content.size;
        if (base + Number(offset) < 0) return errors.invalid;
        file.at = base + Number(offset);
        return u64(out, BigInt(file.at));
      },
      path_open: (folder, flags, path, length, how, rights, inherited, mode, out) => {
        const name = files.name(path, length);
        let content = how & 1 ? files.named.get(name) : files.find(name);
        if (name === '' || name === '.') return errors.isFolder;
        if (content && how & 4) return errors.exists;
        if (!content && !(how & 1)) return errors.missing;
        if (!content || how & 8) files.named.set(name, (content = new Content(new Uint8Array(0))));
        content.used = true;
        files.open.set(files.next, { content, at: mode & 1 ? content.size : 0 });
        return u32(out, files.next++);
      },
      path_filestat_get: (folder, flags, path, length, out) => {
        const content = files.find(files.name(path, length));
        return content ? files.setStat(out >>> 0, content) : errors.missing;
      },
      path_rename: (folder, from, fromLength, folder2, to, toLength) => {
        const name = files.name(from, fromLength);
        const content = files.named.get(name);
        if (!content) return errors.missing;
        files.named.delete(name);
        files.named.set(files.name(to, toLength), content);
        return 0;
      },
      path_unlink_file: (folder, path, length) => (files.named.delete(files.name(path, length)) ? 0 : errors.missing),
      path_link: () => errors.unknown,
      proc_exit: (code) => {
        throw new Error(`the engine ended with ${code}`);
      },
    };
    return new Proxy(calls, { get: (all, call) => all[call] ?? (() => errors.unknown) });
  }
}

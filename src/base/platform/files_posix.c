// SPDX-License-Identifier: Apache-2.0
// Files, folders and text by POSIX.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __APPLE__
#include <xlocale.h> // newlocale
#endif

#include "base/platform/platform.h"

static void take_facts(const struct stat *about, toc_file_facts *out) {
    *out = (toc_file_facts){.kind = TOC_FILE_PIPE,
                            .mode = about->st_mode & 07777,
                            .device = (uint64_t)about->st_dev,
                            .number = (uint64_t)about->st_ino};
    if (about->st_size > 0) out->size = (uint64_t)about->st_size;
    if (S_ISREG(about->st_mode)) out->kind = TOC_FILE_PLAIN;
    if (S_ISDIR(about->st_mode)) out->kind = TOC_FILE_FOLDER;
    if (S_ISCHR(about->st_mode) || S_ISBLK(about->st_mode)) out->kind = TOC_FILE_DEVICE;
}

bool toc_path_facts(const char *path, toc_file_facts *out) {
    struct stat about;
    if (stat(path, &about) != 0) return false;
    take_facts(&about, out);
    return true;
}

bool toc_file_facts_of(int file, toc_file_facts *out) {
    struct stat about;
    if (fstat(file, &about) != 0) return false;
    take_facts(&about, out);
    return true;
}

bool toc_path_is_folder(const char *path) {
    toc_file_facts facts;
    return toc_path_facts(path, &facts) && facts.kind == TOC_FILE_FOLDER;
}

bool toc_path_exists(const char *path) { return access(path, F_OK) == 0; }
bool toc_path_is_writable(const char *path) { return access(path, W_OK) == 0; }

bool toc_path_resolve(const char *path, char *out) {
    _Static_assert(PATH_MAX <= TOC_PATH_MOST, "realpath writes up to PATH_MAX bytes");
    return realpath(path, out) != NULL;
}

bool toc_path_remove(const char *path) { return unlink(path) == 0; }
bool toc_path_replace(const char *from, const char *to) { return rename(from, to) == 0; }

// A pipe opens when its other end does, and a signal of the host may come before.
static int open_again(const char *path, int how) {
    for (;;) {
        const int file = open(path, how | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EINTR) return file;
    }
}

int toc_file_open(const char *path, toc_open_way way) {
    if (way == TOC_OPEN_NEW) return open_again(path, O_WRONLY | O_CREAT | O_EXCL);
    if (way == TOC_OPEN_MORE) return open_again(path, O_WRONLY | O_APPEND);
    return open_again(path, O_RDONLY | (way == TOC_OPEN_AT_ONCE ? O_NONBLOCK : 0));
}

ptrdiff_t toc_file_read(int file, void *bytes, size_t count) {
    for (;;) {
        const ssize_t got = read(file, bytes, count);
        if (got >= 0 || errno != EINTR) return got;
    }
}

ptrdiff_t toc_file_read_at(int file, void *bytes, size_t count, uint64_t place) {
    for (;;) {
        const ssize_t got = pread(file, bytes, count, (off_t)place);
        if (got >= 0 || errno != EINTR) return got;
    }
}

ptrdiff_t toc_file_write(int file, const void *bytes, size_t count) {
    for (;;) {
        const ssize_t put = write(file, bytes, count);
        if (put >= 0 || errno != EINTR) return put;
    }
}

bool toc_file_close(int file) { return close(file) == 0; }
void toc_file_set_mode(int file, unsigned mode) { (void)!fchmod(file, mode); }

// An unnamed file gets its name by /proc, which a bare container may lack.
int toc_file_open_unnamed(const char *folder) {
#ifdef O_TMPFILE
    if (access("/proc/self/fd", X_OK) == 0) return open_again(folder, O_TMPFILE | O_WRONLY);
#else
    (void)folder;
#endif
    return -1;
}

bool toc_file_give_name(int file, const char *path) {
    char self[64];
    snprintf(self, sizeof self, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

bool toc_error_is_full(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

FILE *toc_stream_open(const char *path, const char *mode) { return fopen(path, mode); }

uint64_t toc_stream_size(FILE *stream) {
    struct stat about;
    return fstat(fileno(stream), &about) == 0 && about.st_size > 0 ? (uint64_t)about.st_size : 0;
}

int toc_stream_number(FILE *stream) { return fileno(stream); }

bool toc_stream_seek(FILE *stream, uint64_t place) { return fseeko(stream, (off_t)place, SEEK_SET) == 0; }

FILE *toc_stream_open_text(char **text, size_t *size) { return open_memstream(text, size); }

bool toc_stream_flush_text(FILE *stream, char **text, size_t *size) {
    (void)text;
    (void)size;
    return fflush(stream) == 0;
}

bool toc_stream_close_text(FILE *stream, char **text, size_t *size) {
    (void)text;
    (void)size;
    return fclose(stream) == 0;
}

int toc_temporary_open(const char *folder) {
    char path[TOC_PATH_MOST];
    snprintf(path, sizeof path, "%s/toccata-XXXXXX", folder ? folder : toc_folder_of_temporary());
    const int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0) unlink(path);
    return file;
}

FILE *toc_temporary_open_stream(const char *folder) {
    const int file = toc_temporary_open(folder);
    FILE *stream = file >= 0 ? fdopen(file, "w+b") : NULL;
    if (!stream && file >= 0) close(file);
    return stream;
}

unsigned long toc_process_number(void) { return (unsigned long)getpid(); }

bool toc_folder_make(const char *path) {
    if (mkdir(path, 0777) == 0) return true;
    return errno == EEXIST && toc_path_is_folder(path);
}

bool toc_folder_remove(const char *path) { return rmdir(path) == 0; }
bool toc_folder_make_unique(char *path) { return mkdtemp(path) != NULL; }

const char *toc_folder_of_temporary(void) {
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

bool toc_folder_list(const char *path, bool (*take)(void *user, const char *name), void *user) {
    DIR *folder = opendir(path);
    if (!folder) return false;
    for (const struct dirent *entry; (entry = readdir(folder)) && take(user, entry->d_name);) continue;
    closedir(folder);
    return true;
}

const void *toc_bytes_find(const void *bytes, size_t count, const void *text, size_t length) {
    return memmem(bytes, count, text, length);
}

bool toc_text_matches(const char *pattern, const char *text) { return fnmatch(pattern, text, FNM_CASEFOLD) == 0; }

ptrdiff_t toc_stream_line(char **line, size_t *room, FILE *stream) { return getline(line, room, stream); }

toc_plain_locale toc_plain_locale_begin(void) {
    toc_plain_locale out = {0};
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain) out = (toc_plain_locale){.plain = plain, .before = uselocale(plain)};
    return out;
}

void toc_plain_locale_end(const toc_plain_locale *plain) {
    if (!plain->plain) return;
    uselocale((locale_t)plain->before);
    freelocale((locale_t)plain->plain);
}

uint64_t toc_memory_installed(void) {
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) return (uint64_t)pages * (uint64_t)page;
#endif
    return UINT64_MAX;
}

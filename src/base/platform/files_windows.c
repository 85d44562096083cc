// SPDX-License-Identifier: Apache-2.0
// Files, folders and text by Windows. Names are UTF-8; long ones get the prefix that lifts the limit of 260 characters.
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <locale.h>
#include <share.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/platform/platform.h"

enum { WIDE_MOST = 2 * TOC_PATH_MOST, SHORT_MOST = 240, PREFIX_MOST = 8 };

static void set_errno(void) {
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
        errno = ENOENT;
        break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
        errno = EACCES;
        break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        errno = EEXIST;
        break;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        errno = ENOSPC;
        break;
    case ERROR_DIR_NOT_EMPTY:
        errno = ENOTEMPTY;
        break;
    default:
        errno = EIO;
    }
}

// Give a full name the prefix that lifts the limit, another one for a share; one that has such a prefix stays.
static void lift_limit(const wchar_t *full, wchar_t wide[WIDE_MOST]) {
    const bool is_share = wcsncmp(full, L"\\\\", 2) == 0, has_prefix = is_share && wcschr(L"?.", full[2]);
    const wchar_t *prefix = has_prefix ? L"" : is_share ? L"\\\\?\\UNC" : L"\\\\?\\";
    wcscpy(wide, prefix);
    wcscat(wide, full + (is_share && !has_prefix));
}

// The limit is that of the full name: a short one in a deep folder needs the prefix, too.
// @return false, with errno, if the name is no UTF-8 or too long.
static bool utf8_to_wide(const char *path, wchar_t wide[WIDE_MOST]) {
    wchar_t given[TOC_PATH_MOST], full[WIDE_MOST - PREFIX_MOST];
    const int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, given, TOC_PATH_MOST);
    if (count <= 0) {
        errno = EILSEQ;
        return false;
    }
    const DWORD length = GetFullPathNameW(given, WIDE_MOST - PREFIX_MOST, full, NULL);
    if (length >= WIDE_MOST - PREFIX_MOST) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (length < SHORT_MOST)
        memcpy(wide, given, (size_t)count * sizeof *given);
    else
        lift_limit(full, wide);
    return true;
}

static bool wide_to_utf8(const wchar_t *wide, char *out, size_t size) {
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, out, (int)size, NULL, NULL) > 0;
}

static bool facts_of_handle(HANDLE handle, toc_file_facts *out) {
    BY_HANDLE_FILE_INFORMATION about;
    *out = (toc_file_facts){.kind = TOC_FILE_PLAIN};
    const DWORD type = GetFileType(handle);
    if (type != FILE_TYPE_DISK) {
        out->kind = type == FILE_TYPE_PIPE ? TOC_FILE_PIPE : TOC_FILE_DEVICE;
        return true;
    }
    if (!GetFileInformationByHandle(handle, &about)) {
        set_errno();
        return false;
    }
    if (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) out->kind = TOC_FILE_FOLDER;
    out->size = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
    out->mode = about.dwFileAttributes;
    out->device = about.dwVolumeSerialNumber;
    out->number = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
    return true;
}

bool toc_path_facts(const char *path, toc_file_facts *out) {
    wchar_t wide[WIDE_MOST];
    if (!utf8_to_wide(path, wide)) return false;
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE handle =
        CreateFileW(wide, FILE_READ_ATTRIBUTES, share, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        set_errno();
        return false;
    }
    const bool known = facts_of_handle(handle, out);
    CloseHandle(handle);
    return known;
}

bool toc_file_facts_of(int file, toc_file_facts *out) { return facts_of_handle((HANDLE)_get_osfhandle(file), out); }

bool toc_path_is_folder(const char *path) {
    toc_file_facts facts;
    return toc_path_facts(path, &facts) && facts.kind == TOC_FILE_FOLDER;
}

static bool allows(const char *path, int what) {
    wchar_t wide[WIDE_MOST];
    return utf8_to_wide(path, wide) && _waccess(wide, what) == 0;
}

bool toc_path_exists(const char *path) { return allows(path, 0); }
bool toc_path_is_writable(const char *path) { return allows(path, 2); }

bool toc_path_resolve(const char *path, char *out) {
    if (!toc_path_exists(path) || strlen(path) >= TOC_PATH_MOST) return false;
    memcpy(out, path, strlen(path) + 1);
    return true;
}

bool toc_path_remove(const char *path) {
    wchar_t wide[WIDE_MOST];
    return utf8_to_wide(path, wide) && _wunlink(wide) == 0;
}

bool toc_path_replace(const char *from, const char *to) {
    wchar_t wide[2][WIDE_MOST];
    if (!utf8_to_wide(from, wide[0]) || !utf8_to_wide(to, wide[1])) return false;
    if (MoveFileExW(wide[0], wide[1], MOVEFILE_REPLACE_EXISTING)) return true;
    set_errno();
    return false;
}

int toc_file_open(const char *path, toc_open_way way) {
    static const int ways[] = {[TOC_OPEN_READ] = _O_RDONLY,
                               [TOC_OPEN_AT_ONCE] = _O_RDONLY,
                               [TOC_OPEN_NEW] = _O_WRONLY | _O_CREAT | _O_EXCL,
                               [TOC_OPEN_MORE] = _O_WRONLY | _O_APPEND};
    wchar_t wide[WIDE_MOST];
    if (!utf8_to_wide(path, wide)) return -1;
    if (way == TOC_OPEN_READ && toc_path_is_folder(path)) {
        errno = EISDIR;
        return -1;
    }
    return _wopen(wide, ways[way] | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
}

enum { PIECE_MOST = 1 << 30 }; // calls of Windows take 32 bits

ptrdiff_t toc_file_read(int file, void *bytes, size_t count) {
    return _read(file, bytes, (unsigned)(count < PIECE_MOST ? count : PIECE_MOST));
}

ptrdiff_t toc_file_read_at(int file, void *bytes, size_t count, uint64_t place) {
    if (_lseeki64(file, (int64_t)place, SEEK_SET) < 0) return -1;
    return toc_file_read(file, bytes, count);
}

ptrdiff_t toc_file_write(int file, const void *bytes, size_t count) {
    return _write(file, bytes, (unsigned)(count < PIECE_MOST ? count : PIECE_MOST));
}

bool toc_file_close(int file) { return _close(file) == 0; }

void toc_file_set_mode(int file, unsigned mode) {
    (void)file;
    (void)mode;
}

int toc_file_open_unnamed(const char *folder) {
    (void)folder;
    return -1;
}

bool toc_file_give_name(int file, const char *path) {
    (void)file;
    (void)path;
    errno = ENOSYS;
    return false;
}

bool toc_error_is_full(int error) { return error == ENOSPC || error == EFBIG; }

FILE *toc_stream_open(const char *path, const char *mode) {
    wchar_t wide[WIDE_MOST], way[8] = {0};
    if (!utf8_to_wide(path, wide)) return NULL;
    size_t count = 0;
    for (; mode[count] && count < 5; count++) way[count] = (wchar_t)mode[count];
    if (!strchr(mode, 'b')) way[count] = L'b';
    return _wfopen(wide, way);
}

uint64_t toc_stream_size(FILE *stream) {
    toc_file_facts facts;
    return toc_file_facts_of(_fileno(stream), &facts) ? facts.size : 0;
}

int toc_stream_number(FILE *stream) { return _fileno(stream); }

bool toc_stream_seek(FILE *stream, uint64_t place) { return _fseeki64(stream, (int64_t)place, SEEK_SET) == 0; }

// A temporary file, read back at the end: Windows has no streams into memory.
FILE *toc_stream_open_text(char **text, size_t *size) {
    *text = NULL;
    *size = 0;
    return toc_temporary_open_stream(NULL);
}

bool toc_stream_flush_text(FILE *stream, char **text, size_t *size) {
    const bool written = fflush(stream) == 0 && !ferror(stream);
    const size_t count = written ? (size_t)toc_stream_size(stream) : 0;
    char *bytes = malloc(count + 1);
    rewind(stream);
    const bool whole = bytes && written && fread(bytes, 1, count, stream) == count;
    fseek(stream, 0, SEEK_END);
    if (!whole) {
        free(bytes);
        return false;
    }
    bytes[count] = 0;
    free(*text);
    *text = bytes;
    *size = count;
    return true;
}

bool toc_stream_close_text(FILE *stream, char **text, size_t *size) {
    const bool whole = toc_stream_flush_text(stream, text, size);
    fclose(stream);
    return whole;
}

int toc_temporary_open(const char *folder) {
    wchar_t wide[WIDE_MOST], name[MAX_PATH];
    if (!utf8_to_wide(folder ? folder : toc_folder_of_temporary(), wide)) return -1;
    if (GetTempFileNameW(wide, L"toc", 0, name) == 0) {
        set_errno();
        return -1;
    }
    return _wopen(name, _O_RDWR | _O_CREAT | _O_TRUNC | _O_BINARY | _O_NOINHERIT | _O_TEMPORARY, _S_IREAD | _S_IWRITE);
}

FILE *toc_temporary_open_stream(const char *folder) {
    const int file = toc_temporary_open(folder);
    FILE *stream = file >= 0 ? _fdopen(file, "w+b") : NULL;
    if (!stream && file >= 0) _close(file);
    return stream;
}

unsigned long toc_process_number(void) { return GetCurrentProcessId(); }

bool toc_folder_make(const char *path) {
    wchar_t wide[WIDE_MOST];
    if (!utf8_to_wide(path, wide)) return false;
    if (CreateDirectoryW(wide, NULL)) return true;
    set_errno();
    return errno == EEXIST && toc_path_is_folder(path);
}

bool toc_folder_remove(const char *path) {
    wchar_t wide[WIDE_MOST];
    return utf8_to_wide(path, wide) && RemoveDirectoryW(wide);
}

bool toc_folder_make_unique(char *path) {
    char *tail = path + strlen(path) - 6;
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        wchar_t wide[WIDE_MOST];
        unsigned number = GetCurrentProcessId() * 1000u + GetTickCount() + attempt;
        for (int i = 0; i < 6; i++, number /= 26) tail[i] = (char)('a' + number % 26);
        if (!utf8_to_wide(path, wide)) return false;
        if (CreateDirectoryW(wide, NULL)) return true;
        set_errno();
        if (errno != EEXIST) return false;
    }
    return false;
}

const char *toc_folder_of_temporary(void) {
    static _Thread_local char folder[TOC_PATH_MOST];
    wchar_t wide[MAX_PATH + 1];
    const DWORD count = GetTempPathW(MAX_PATH + 1, wide);
    if (count == 0 || count > MAX_PATH || !wide_to_utf8(wide, folder, sizeof folder)) return ".";
    while (count > 0 && strlen(folder) > 3 && strchr("\\/", folder[strlen(folder) - 1])) folder[strlen(folder) - 1] = 0;
    for (char *c = folder; *c; c++)
        if (*c == '\\') *c = '/';
    return folder;
}

bool toc_folder_list(const char *path, bool (*take)(void *user, const char *name), void *user) {
    char pattern[TOC_PATH_MOST], name[TOC_PATH_MOST];
    wchar_t wide[WIDE_MOST];
    WIN32_FIND_DATAW entry;
    snprintf(pattern, sizeof pattern, "%s/*", path);
    if (!utf8_to_wide(pattern, wide)) return false;
    const HANDLE folder = FindFirstFileW(wide, &entry);
    if (folder == INVALID_HANDLE_VALUE) {
        set_errno();
        return false;
    }
    bool goes_on;
    do goes_on = !wide_to_utf8(entry.cFileName, name, sizeof name) || take(user, name);
    while (goes_on && FindNextFileW(folder, &entry));
    FindClose(folder);
    return true;
}

const void *toc_bytes_find(const void *bytes, size_t count, const void *text, size_t length) {
    const char *at = bytes, *first = text;
    if (length == 0) return bytes;
    for (const char *end = at + count; (size_t)(end - at) >= length; at++) {
        at = memchr(at, *first, (size_t)(end - at) - length + 1);
        if (!at) return NULL;
        if (memcmp(at, text, length) == 0) return at;
    }
    return NULL;
}

static int lower_case(char c) { return tolower((unsigned char)c); }

// Whether a character is in [...]; moves the pattern behind it. Without its end, [ is a character.
static bool class_has(const char **pattern, char c) {
    const char *at = *pattern + 1;
    const bool inverse = *at == '!' || *at == '^';
    bool found = false;
    at += inverse;
    for (const char *first = at; *at && (*at != ']' || at == first); at++) {
        if (at[1] == '-' && at[2] && at[2] != ']') {
            found |= lower_case(at[0]) <= lower_case(c) && lower_case(c) <= lower_case(at[2]);
            at += 2;
        } else {
            found |= lower_case(*at) == lower_case(c);
        }
    }
    if (!*at) {
        ++*pattern;
        return c == '[';
    }
    *pattern = at + 1;
    return found != inverse;
}

bool toc_text_matches(const char *pattern, const char *text) {
    const char *star = NULL, *from = text; // the last *, and the first character behind its part
    while (*text) {
        const char *next = pattern + 1;
        bool fits = *pattern == '?' || (*pattern && *pattern != '*' && lower_case(*pattern) == lower_case(*text));
        if (*pattern == '[') {
            next = pattern;
            fits = class_has(&next, *text);
        }
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (fits) {
            pattern = next;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == 0;
}

ptrdiff_t toc_stream_line(char **line, size_t *room, FILE *stream) {
    size_t count = 0;
    for (int c; (c = fgetc(stream)) != EOF;) {
        if (count + 2 > *room) {
            char *more = realloc(*line, 2 * *room + 128);
            if (!more) return -1;
            *line = more;
            *room = 2 * *room + 128;
        }
        (*line)[count++] = (char)c;
        if (c == '\n') break;
    }
    if (count == 0) return -1;
    (*line)[count] = 0;
    return (ptrdiff_t)count;
}

toc_plain_locale toc_plain_locale_begin(void) {
    toc_plain_locale out = {.way = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE)};
    const char *now = setlocale(LC_NUMERIC, NULL);
    if (now) snprintf(out.name, sizeof out.name, "%s", now);
    setlocale(LC_NUMERIC, "C");
    return out;
}

void toc_plain_locale_end(const toc_plain_locale *plain) {
    if (plain->name[0]) setlocale(LC_NUMERIC, plain->name);
    if (plain->way > 0) _configthreadlocale(plain->way);
}

uint64_t toc_memory_installed(void) {
    MEMORYSTATUSEX about = {.dwLength = sizeof about};
    return GlobalMemoryStatusEx(&about) ? about.ullAvailPhys : UINT64_MAX;
}

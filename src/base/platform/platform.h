// SPDX-License-Identifier: Apache-2.0
// The operating system: files, folders, text, limits of threads, the console and interrupts.
//
// One header; *_posix.c and *_windows.c define its functions. No other file calls POSIX or Windows, but for POSIX
// threads, which every compiler here has, and for programs that Windows does not get (docs/platforms.md). All names of
// files are UTF-8. Failures set errno.
#ifndef TOC_BASE_PLATFORM_PLATFORM_H
#define TOC_BASE_PLATFORM_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- files

enum { TOC_PATH_MOST = 4096 }; // bytes of a path, with its 0

typedef enum toc_file_kind { TOC_FILE_PLAIN, TOC_FILE_FOLDER, TOC_FILE_DEVICE, TOC_FILE_PIPE } toc_file_kind;

typedef struct toc_file_facts {
    toc_file_kind kind;
    uint64_t size;
    unsigned mode;           // permissions as the system has them
    uint64_t device, number; // the same for two paths of one file
} toc_file_facts;

bool toc_path_facts(const char *path, toc_file_facts *out);
bool toc_file_facts_of(int file, toc_file_facts *out);
bool toc_path_is_folder(const char *path);
bool toc_path_exists(const char *path);
bool toc_path_is_writable(const char *path);
/// The same file by a name without links. @param out TOC_PATH_MOST bytes. @return false if it cannot be found.
bool toc_path_resolve(const char *path, char *out);
bool toc_path_remove(const char *path);
/// Give a file another name; a file of that name is replaced in one step.
bool toc_path_replace(const char *from, const char *to);

/// TOC_OPEN_AT_ONCE does not wait for a writer of a pipe, TOC_OPEN_NEW fails where the file exists, TOC_OPEN_MORE
/// appends. Bytes are as they are: no line is converted.
typedef enum toc_open_way { TOC_OPEN_READ, TOC_OPEN_AT_ONCE, TOC_OPEN_NEW, TOC_OPEN_MORE } toc_open_way;
/// @return -1 on failure. Other programs that this one starts do not inherit the file.
int toc_file_open(const char *path, toc_open_way way);
/// As read and write, also at a place of the file; signals do not interrupt them.
ptrdiff_t toc_file_read(int file, void *bytes, size_t count);
ptrdiff_t toc_file_read_at(int file, void *bytes, size_t count, uint64_t place);
ptrdiff_t toc_file_write(int file, const void *bytes, size_t count);
bool toc_file_close(int file);
/// Take permissions of another file, as far as possible.
void toc_file_set_mode(int file, unsigned mode);
/// A file without a name in a folder, which toc_file_give_name can give it later; -1 where the system has none.
int toc_file_open_unnamed(const char *folder);
/// Fails with EEXIST where the name is taken.
bool toc_file_give_name(int file, const char *path);
/// Whether an error means that no room is left.
bool toc_error_is_full(int error);

/// fopen, with a name in UTF-8.
FILE *toc_stream_open(const char *path, const char *mode);
uint64_t toc_stream_size(FILE *stream);
int toc_stream_number(FILE *stream); // as toc_file_read_at takes it
bool toc_stream_seek(FILE *stream, uint64_t place);
/// A stream into memory: open_memstream, fflush, and fclose behind it. Free the text; one that a flush gives is valid
/// until the next call.
FILE *toc_stream_open_text(char **text, size_t *size);
bool toc_stream_flush_text(FILE *stream, char **text, size_t *size);
bool toc_stream_close_text(FILE *stream, char **text, size_t *size);
/// A temporary file that is removed when it is closed; -1 on failure. @param folder NULL for that of the system.
int toc_temporary_open(const char *folder);
FILE *toc_temporary_open_stream(const char *folder);
/// A number that tells this process from others.
unsigned long toc_process_number(void);

// ---- folders

bool toc_folder_make(const char *path); // also true where the folder exists
bool toc_folder_remove(const char *path);
/// A new folder, its name made from a template that ends with XXXXXX.
bool toc_folder_make_unique(char *path);
/// The folder for temporary files; never NULL.
const char *toc_folder_of_temporary(void);
/// Call `take` for each name; it ends the list by false. @return false if the folder cannot be read.
bool toc_folder_list(const char *path, bool (*take)(void *user, const char *name), void *user);

// ---- text

/// The first place of a text in bytes, NULL if it is not there.
const void *toc_bytes_find(const void *bytes, size_t count, const void *text, size_t length);
/// Whether a name fits a pattern with * ? and [...]; case does not matter.
bool toc_text_matches(const char *pattern, const char *text);
/// getline: the next line, in memory that grows. @return its length, -1 at the end.
ptrdiff_t toc_stream_line(char **line, size_t *room, FILE *stream);
/// Numbers are read and written as in the "C" locale between these two, on this thread.
typedef struct toc_plain_locale {
    void *plain, *before;
    int way;
    char name[64];
} toc_plain_locale;
toc_plain_locale toc_plain_locale_begin(void);
void toc_plain_locale_end(const toc_plain_locale *plain);

// ---- memory and threads

/// Advise the system to use large pages for these bytes, where it has them.
void toc_pages_want_huge(void *block, size_t bytes);
uint64_t toc_memory_installed(void); // bytes; UINT64_MAX if unknown
/// Processors on which this process may run.
int toc_processors_count(int most);
/// So many threads, or fewer: no more than fit into half of what the limits of the system leave.
int toc_threads_fit(int threads);
/// Signals of the host do not go to threads that start between these two.
typedef struct toc_signals {
    uint64_t before[16];
} toc_signals;
void toc_signals_block(toc_signals *signals);
void toc_signals_restore(const toc_signals *signals);

// ---- a program

/// Before all else: words in UTF-8, standard streams of plain bytes, a closed pipe is a failed write.
void toc_program_begin(int *count, char ***words);
bool toc_error_output_is_terminal(void);
/// Call `note` at the first request to stop (Ctrl-C, end of the login); the second one ends the program.
void toc_interrupts_watch(void (*note)(int signal));
/// Within `note`: write to standard error, and end at once.
void toc_interrupt_write(const char *text, size_t length);
void toc_interrupt_end(int code);

#endif

// SPDX-License-Identifier: Apache-2.0
// The program, its console and its interrupts, by Windows. Memory of the words lasts as long as the program.
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <shellapi.h>
#include <signal.h>
#include <stdlib.h>

#include "base/platform/platform.h"

static char *word_of(const wchar_t *wide) {
    const int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *word = size > 0 ? malloc((size_t)size) : NULL;
    if (word) WideCharToMultiByte(CP_UTF8, 0, wide, -1, word, size, NULL, NULL);
    return word;
}

// The words as the caller wrote them: those of main have lost all characters outside of the code page.
static void take_command_line(int *count, char ***words) {
    int wide_count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &wide_count);
    char **made = wide ? calloc((size_t)wide_count + 1, sizeof *made) : NULL;
    for (int i = 0; made && i < wide_count; i++)
        if (!(made[i] = word_of(wide[i]))) return;
    if (!made) return;
    *count = wide_count;
    *words = made;
    LocalFree(wide);
}

void toc_program_begin(int *count, char ***words) {
    take_command_line(count, words);
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
    SetConsoleOutputCP(CP_UTF8);
    DWORD mode;
    const HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
    if (GetConsoleMode(console, &mode)) SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool toc_error_output_is_terminal(void) {
    DWORD mode;
    return GetConsoleMode(GetStdHandle(STD_ERROR_HANDLE), &mode);
}

static void (*note_interrupt)(int signal);

static BOOL WINAPI handle_console(DWORD event) {
    static volatile LONG times;
    if (InterlockedIncrement(&times) > 1) return FALSE;
    note_interrupt(event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? SIGINT : SIGTERM);
    return TRUE;
}

void toc_interrupts_watch(void (*note)(int signal)) {
    note_interrupt = note;
    SetConsoleCtrlHandler(handle_console, TRUE);
}

void toc_interrupt_write(const char *text, size_t length) { _write(_fileno(stderr), text, (unsigned)length); }
void toc_interrupt_end(int code) { _exit(code); }

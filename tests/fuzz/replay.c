// SPDX-License-Identifier: Apache-2.0
// A replacement for libFuzzer: runs every file of the given folders once, and some truncations of it.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int replay(const char *path) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) return 1;
    const size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t part = 0; part <= 100; part++) LLVMFuzzerTestOneInput(bytes, count * part / 100);
    return 0;
}

static int replay_folder(const char *folder, int *files) {
    DIR *listing = opendir(folder);
    if (!listing) return 1;
    int failed = 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        if (entry->d_name[0] == '.') continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        failed += replay(path);
        ++*files;
    }
    closedir(listing);
    return failed;
}

int main(int count, char **words) {
    int files = 0, failed = 0;
    LLVMFuzzerInitialize(&count, &words);
    for (int i = 1; i < count; i++)
        if (words[i][0] != '-') failed += replay_folder(words[i], &files);
    printf("%d files\n", files);
    return failed || files == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

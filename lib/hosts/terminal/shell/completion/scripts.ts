/** Scripts that connect a shell to `aisec __complete`. Each candidate is one line of data, which no shell evaluates. */

const BASH = String.raw`# bash completion of aisec:  source <(aisec completion bash)
_aisec_complete() {
  local line directive=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $directive ]]; then directive=$line; else COMPREPLY+=("$line"); fi
  done < <(command aisec __complete -- bash "$COMP_WORDBREAKS" "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  type compopt >/dev/null 2>&1 || return 0
  case $directive in
    :files) compopt -o default ;;
    :nospace) compopt -o nospace ;;
  esac
}
complete -F _aisec_complete aisec
`;

const ZSH = String.raw`#compdef aisec
# zsh completion of aisec:  source <(aisec completion zsh)
_aisec() {
  local -a lines values shown
  local line value text directive
  lines=("\${(@f)$(command aisec __complete -- zsh "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  directive=$lines[1]
  if [[ $PREFIX == [a-z_-]##=* ]] || [[ $PREFIX == [a-z_-]*=* ]]; then compset -P 1 '*='; fi
  if [[ $directive == :files ]]; then compset -P '@file:'; _files; return; fi
  for line in "\${(@)lines[2,-1]}"; do
    value=\${line%%$'\t'*}
    [[ -n $IPREFIX && $value == *=* ]] && value=\${value#*=}
    [[ -n $value ]] || continue
    values+=("$value")
    text="$value\${\${line#*$'\t'}:+  -- \${line#*$'\t'}}"
    shown+=("\${text[1,COLUMNS-1]}")
  done
  (( $#values )) || return 1
  if [[ $directive == :nospace ]]; then compadd -S '' -l -d shown -a values; else compadd -l -d shown -a values; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _aisec "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _aisec aisec
fi
`;

const FISH = String.raw`# fish completion of aisec:  aisec completion fish | source
function __aisec_complete
  set -l words (commandline -opc)
  set -l lines (command aisec __complete -- fish $words[2..-1] (commandline -ct) 2>/dev/null)
  if test "$lines[1]" = :files
    set -l kept (string match -r -- '^[a-z_-]*=(?:@file:)?' (commandline -ct))
    for path in (__fish_complete_path (string replace -r -- '^[a-z_-]*=(?:@file:)?' '' (commandline -ct)))
      printf '%s%s\n' "$kept" "$path"
    end
  else if set -q lines[2]
    printf '%s\n' $lines[2..-1]
  end
end
complete -c aisec -f -a '(__aisec_complete)'
`;

const POWERSHELL = String.raw`# PowerShell completion of aisec:  aisec completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName aisec -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  Set-StrictMode -Off
  $ErrorActionPreference = 'SilentlyContinue'
  $exitCode = $global:LASTEXITCODE
  function Quoted([string]$text) {
    if ($text -match '^(?!-.*[.:])(?![-+]?[\d.][\w.+]*$)[\w.:+/\\=-]+$') { return $text }
    "'" + ($text -replace "['\u2018-\u201b]", '$0$0') + "'"
  }
  function Result([string]$text, [string]$shown, [string]$about) {
    [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $about)
  }
  try {
    $shell = 'powershell-5'
    if ($PSNativeCommandArgumentPassing -and "$PSNativeCommandArgumentPassing" -ne 'Legacy') { $shell = 'powershell' }
    $end = $cursorPosition - $commandAst.Extent.StartOffset
    # Spaces before the cursor are not part of the command.
    $line = $commandAst.Extent.Text.PadRight($end).Substring(0, $end)
    $sent = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($line))
    $answer = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String(-join (aisec __complete $shell $sent 2>$null)))
    $directive, $lines = $answer.Split([char]10)
    if ($directive -eq ':files') {
      $kept, $path = $lines
      # Without an argument's name, PowerShell completes the path by itself.
      if ($kept -eq '') { return }
      $at = $path.LastIndexOfAny([char[]]'/\') + 1
      $folder = $path.Substring(0, $at)
      $start = $path.Substring($at)
      $place = if ($folder -eq '') { '.' } else { $folder }
      Get-ChildItem -LiteralPath $place | Where-Object { $_.Name.StartsWith($start, [StringComparison]::OrdinalIgnoreCase) } | ForEach-Object {
        $name = $_.Name
        if ($_.PSIsContainer) { $name += [IO.Path]::DirectorySeparatorChar }
        Result (Quoted ($kept + $folder + $name)) $name $_.FullName
      }
      return
    }
    # An empty text keeps PowerShell from completing paths.
    if (-not $lines) { return '' }
    foreach ($each in $lines) {
      $text, $shown, $about = $each.Split([char]9)
      Result $text $shown $about
    }
  } catch {
    ''
  } finally {
    $global:LASTEXITCODE = $exitCode
  }
}
`;

/** The scripts. `\${` is escaped so that it becomes text of the script. */
export const SCRIPTS = {
  bash: BASH.replace(/\\\$\{/g, '${'),
  zsh: ZSH.replace(/\\\$\{/g, '${'),
  fish: FISH,
  powershell: POWERSHELL,
};

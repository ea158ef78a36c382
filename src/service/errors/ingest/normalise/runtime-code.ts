import { isNative, isVendored } from '../../../shared/code-paths.ts'

/** What a frame says about where its code came from. */
export interface CodePlace {
  /** The language: of the frame, else of the event. */
  platform: string
  filename: string
  abs_path: string
  module: string
  function: string
  /** The binary or assembly. */
  package: string
}

/** Folders that package managers and systems install into, whatever the language (Sentry's default rules). */
const INSTALLED =
  /(?:^|[/\\])(?:node_modules|bower_components|site-packages|dist-packages|vendor|go[/\\]pkg[/\\]mod|\.pub-cache)[/\\]|^\/usr\/local\/(?:lib|Cellar)\/|[/\\]\.local[/\\]share[/\\]|^</

/**
 * Whether the code belongs to the language, its runtime or a package and not to the team, for a frame about which the
 * SDK is silent. Names are those of the runtimes and of the frameworks that Sentry's default rules list; anything else
 * is the team's.
 */
export function isRuntimeCode(place: CodePlace): boolean {
  if (isInstalled(place.abs_path) || (place.filename !== place.abs_path && isInstalled(place.filename))) return true
  return BY_PLATFORM.get(place.platform)?.(place) ?? false
}

function isInstalled(path: string): boolean {
  return path !== '' && (INSTALLED.test(path) || CRATE.test(path) || isVendored(path) || isNative(path))
}

/** The source of a package of Rust; the home of Cargo is `.cargo` for people and `/usr/local/cargo` in its image. */
const CRATE = /(?:^|[/\\])\.?cargo[/\\](?:registry[/\\]src|git[/\\]checkouts)[/\\]/

/** The source of a module of Go that is not the program's own: vendored, or with a version, with `-trimpath` too. */
const GO_MODULE = /(?:^|[/\\])(?:vendor|go[/\\]pkg[/\\]mod)[/\\]|^[\w.~-]+(?:\/[\w.~!-]+)*@v\d/

/** What the SDK of an event says about its other frames. */
interface Habit {
  /** Every frame is marked as the team's. */
  isEach: boolean
  /** About some frame the SDK says nothing. */
  isSilent: boolean
}

/**
 * Whether the code is a package's or the engine's although the SDK says otherwise: SDKs for browsers mark every frame as
 * in-app, `encodeURIComponent` and those of extensions too, the one for PHP everything that is not excluded by hand.
 * Sentry's rules correct both. The one for Python marked every frame before it knew the project's folder; it then also
 * marks the standard library and generated code, which no team includes. Go's marks everything outside of the toolchain,
 * Rust's everything but the standard library until a crate is included by hand, which leaves the others unmarked.
 */
export function isMarkedByDefault(place: CodePlace, { isEach, isSilent }: Habit): boolean {
  const { platform, abs_path, filename } = place
  const paths = [abs_path, filename]
  if (platform === 'go') return paths.some((path) => GO_MODULE.test(path)) || isGoSource(goFile(place)) === true
  if (platform === 'native' || platform === 'rust') return !isSilent && paths.some((path) => CRATE.test(path))
  if (platform === 'php') return paths.some((path) => /(?:^|[/\\])vendor[/\\]/.test(path))
  if (platform === 'python') return isPythonPackage(paths) ? isEach : paths.some(isPythonRuntime)
  return (
    (platform === 'javascript' || platform === 'node') &&
    paths.some((path) => isVendored(path) || isNative(path) || EXTENSION.test(path))
  )
}

/** The address of a browser extension's file. */
const EXTENSION = /^[\w-]+-extension:/i

function isPythonPackage(paths: readonly string[]): boolean {
  return paths.some((path) => /(?:^|[/\\])(?:site|dist)-packages[/\\]/.test(path))
}

/** The standard library where it is installed, and code that Python made (`<string>`). */
function isPythonRuntime(path: string): boolean {
  return PYTHON_LIBRARY.test(path) || /^<[^/\\]*>$/.test(path)
}

type Rule = (place: CodePlace) => boolean

/** A namespace itself or anything in it: `java.lang.Thread` is in `java`. */
function within(names: string): (name: string) => boolean {
  const known = new Set(names.split(/\s+/))
  return (name) => {
    // Namespaces of the list have at most three segments.
    for (let dot = name.indexOf('.'), count = 0; count < 3; dot = name.indexOf('.', dot + 1), count += 1) {
      if (known.has(dot === -1 ? name : name.slice(0, dot))) return true
      if (dot === -1) return false
    }
    return false
  }
}

const JAVA = within(
  'java javax jakarta jdk sun com.sun kotlin kotlinx scala groovy clojure org.codehaus.groovy org.apache ' +
    'android androidx com.android com.google.android com.google.crypto dalvik libcore ' +
    'org.springframework org.hibernate org.glassfish org.jboss org.eclipse.jetty org.postgresql org.jdesktop ' +
    'org.junit org.web3j com.fasterxml com.microsoft com.lenovo.lsf com.lenovo.payplus com.zaxxer.hikari io.ktor ' +
    'io.netty io.opentelemetry io.reactivex io.sentry reactor.core akka feign oauth okhttp3 okio retrofit2',
)

const CSHARP = within(
  'System Microsoft MS Mono Xamarin Windows WinRT UnityEngine UnityEditor FSharp Sentry Newtonsoft.Json Serilog NLog ' +
    'Npgsql Dapper Polly Autofac AutoMapper MediatR Hangfire',
)

const PYTHON = new Set(
  (
    '_thread abc argparse ast asynchat asyncio asyncore atexit base64 bdb binascii bisect builtins bz2 codecs codeop ' +
    'collections compileall concurrent configparser contextlib contextvars copy copyreg csv ctypes curses dataclasses ' +
    'datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno fcntl filecmp fileinput ' +
    'fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib gzip hashlib heapq hmac ' +
    'html http imaplib imp importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox ' +
    'marshal math mimetypes mmap multiprocessing netrc numbers operator optparse os pathlib pdb pickle pkgutil ' +
    'plistlib poplib posixpath ntpath pprint pyclbr pydoc queue quopri random re readline reprlib runpy sched ' +
    'secrets select selectors shelve shlex shutil signal smtplib socket socketserver sqlite3 ssl stat string ' +
    'stringprep struct subprocess sys sysconfig tarfile telnetlib tempfile textwrap threading timeit tkinter tokenize ' +
    'tomllib traceback tracemalloc turtle types typing unicodedata unittest urllib uuid venv warnings wave weakref ' +
    'webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo'
  ).split(' '),
)

const PYTHON_LIBRARY = /(?:^|[/\\])(?:lib(?:64)?[/\\](?:python|pypy)\d[\d.]*t?|lib-python|Python\d+[/\\]lib)[/\\]/i

/** An absolute path decides; the name of the module counts only where there is none, as a team may name one `queue`. */
const python: Rule = ({ abs_path, filename, module }) => {
  const path = isAbsolute(abs_path) ? abs_path : filename
  if (PYTHON_LIBRARY.test(path)) return true
  return !isAbsolute(path) && PYTHON.has(module.split('.', 1)[0]!)
}

const GO = new Set(
  (
    'archive bufio builtin bytes cmp compress container context crypto database debug embed encoding errors expvar ' +
    'flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime ' +
    'slices sort strconv strings structs sync syscall testing text time unicode unique unsafe weak'
  ).split(' '),
)

/** Go's own packages have no host in their path: `net/http`, never `github.com/acme/shop`. */
const go: Rule = (place) => {
  const path = goFile(place)
  if (GO_MODULE.test(path)) return true
  const isSource = isGoSource(path)
  if (isSource === false) return false
  // A repository may have a folder go/src with a package internal, too: its package then has the path of the module.
  if (isSource === true && place.module === '') return true
  return GO.has((place.module || place.function).split(/[/.]/, 1)[0]!)
}

function goFile({ abs_path, filename }: CodePlace): string {
  return isAbsolute(abs_path) ? abs_path : filename
}

/** Undefined for a path that is not below the sources of a toolchain or of GOPATH. */
function isGoSource(path: string): boolean | undefined {
  const folder = /[/\\]go[\d.]*[/\\](?:libexec[/\\])?src[/\\]([^/\\.]+)[/\\]/.exec(path)?.[1]
  return folder === undefined ? undefined : GO.has(folder)
}

const ruby: Rule = ({ abs_path, filename }) =>
  [abs_path, filename].some((path) => /[/\\](?:gems[/\\][^/\\]+-\d|lib[/\\]ruby[/\\]|rubygems[/\\])/.test(path))

const php: Rule = ({ filename, abs_path }) => /^(?:phar:|\[internal)/.test(abs_path || filename)

/** Node before 16 names its own files without `node:`; a file of the team then has an absolute path as well. */
const node: Rule = ({ filename, abs_path }) => (abs_path || filename).startsWith('internal/')

const dart: Rule = ({ filename, abs_path }) =>
  [abs_path, filename].some((path) =>
    /^(?:dart:|org-dartlang-sdk:|package:(?:flutter|flutter_test|sentry\w*)\/|third_party\/dart\/|lib\/ui\/(?:hooks|platform_dispatcher)\.dart)|[/\\]packages[/\\]flutter[/\\]/.test(
      path,
    ),
  )

const BEAM = within(
  'Access Agent Application Base Calendar Code Date DateTime DynamicSupervisor Enum ExUnit Exception File Float GenEvent ' +
    'GenServer IEx IO Inspect Integer Kernel Keyword List Logger Macro Map MapSet Mix Module NaiveDateTime Node Path ' +
    'Port Process Protocol Range Regex Registry Stream String Supervisor System Task Time Tuple URI Version Plug ' +
    'Phoenix Ecto DBConnection Bandit ThousandIsland ' +
    'application binary code cowboy erl_eval erl_internal erlang ets gen gen_event gen_server gen_statem gen_tcp init ' +
    'inet io io_lib lists logger maps proc_lib proplists queue rand ranch string supervisor timer',
)

const beam: Rule = ({ module, function: name }) => BEAM((module || name).replace(/^(?:Elixir\.|:)/, ''))

const NATIVE_PACKAGES =
  /^(?:\/(?:usr\/)?lib(?:32|64)?\/|\/System\/|\/system\/|\/vendor\/|\/apex\/|[a-z]:[/\\]windows[/\\]|linux-(?:vdso|gate))/i
const NATIVE_FILES = new RegExp(
  '^(?:' +
    'lib(?:c|m|dl|rt|pthread|gcc_s|stdc\\+\\+|c\\+\\+(?:abi)?|objc|dyld|dispatch|art|swift\\w*|system\\w*)(?:[-.].*)?' +
    '|ld-(?:linux|musl).*|(?:ntdll|kernel32|kernelbase|user32|ucrtbase|combase|msvcrt|msvcp\\w+|vcruntime\\w+)\\.dll' +
    '|CoreFoundation|Foundation|CFNetwork|IOKit|QuartzCore|UIKit(?:Core)?|AppKit|SwiftUI|AttributeGraph' +
    '|CoreAutoLayout|GraphicsServices|WebKit|JavaScriptCore|Security|AudioToolbox|OpenGLES|GLEngine|dyld' +
    '|FlutterMacOS|Flutter|KSCrash|Sentry(?:Swift)?' +
    ')$',
  'i',
)
const NATIVE_FUNCTIONS =
  /^(?:(?:std|core|alloc|backtrace|google_breakpad|crashpad)::|<?(?:std|core|alloc)::|__rust_|_?rust_(?:begin_unwind|panic)|__libc_start|_+(?:start|sigtramp|pthread_\w+|cxa_\w+|assert_rtn|swift_\w+)$|(?:abort|raise|memcpy|memset|memcmp|malloc|free|exit|start_thread|thread_start|BaseThreadInitThunk|RtlUserThreadStart|UIApplicationMain|objc_exception_throw|RaiseException|_CxxThrowException|invoke_main)$|\s*(?:kscm|kscrash|_*sentrycrash(?:cm)?)_|[+-]?\[(?:KSCrash|RNSentry|Sentry)|_*\d*_*[+-]\[Sentry)/

const native: Rule = ({ package: binary, abs_path, function: name }) =>
  NATIVE_PACKAGES.test(binary) ||
  NATIVE_FILES.test(lastSegment(binary)) ||
  NATIVE_FUNCTIONS.test(name) ||
  /^\/rustc\/|\/library\/(?:std|core|alloc)\/src\//.test(abs_path) ||
  dart({ package: '', abs_path, filename: '', module: '', function: '', platform: '' })

const BY_PLATFORM: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...['java', 'kotlin', 'scala', 'groovy', 'android'].map((name): [string, Rule] => [
    name,
    ({ module }) => JAVA(module),
  ]),
  ...['csharp', 'dotnet', 'fsharp'].map((name): [string, Rule] => [
    name,
    ({ module, package: assembly }) => CSHARP(module) || (module === '' && CSHARP(assembly.split(',', 1)[0]!)),
  ]),
  ...['javascript', 'node', 'typescript'].map((name): [string, Rule] => [name, node]),
  ...['native', 'c', 'cpp', 'cocoa', 'objc', 'swift', 'rust'].map((name): [string, Rule] => [name, native]),
  ...['dart', 'flutter'].map((name): [string, Rule] => [name, dart]),
  ...['elixir', 'erlang'].map((name): [string, Rule] => [name, beam]),
  ['python', python],
  ['go', go],
  ['ruby', ruby],
  ['php', php],
])

function isAbsolute(path: string): boolean {
  return /^(?:[/\\]|[a-z]:[/\\])/i.test(path)
}

function lastSegment(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readContextOptions } from '../../infra/cdk/context-options.ts';
import { PARAMETERS } from '../../infra/cdk/parameters/parameter-list.ts';
import { PROJECT } from '../../infra/checks/source-tree.ts';
import { formatInvite } from '../../infra/cli/invite.ts';
import { formatManifest } from '../../infra/cli/slack-manifest.ts';
import { readArguments } from '../../infra/local/arguments.ts';
import { createProgram, main } from '../../infra/parley/program.ts';
import { createTerminal } from '../../infra/parley/terminal.ts';
import { parseWithOptionsOf } from './script-options.ts';
import type { SimpleCommand } from './shell-words.ts';

/** What the documents' commands refer to. */
export type Project = {
  readonly scripts: Readonly<Record<string, string>>;
  readonly testFiles: readonly string[];
};

const silent = { ...createTerminal(), print: () => undefined, report: () => undefined, env: {} };

/**
 * Runs a command of the documents in a cheap form, or parses it with the parser of its program. Rejects if the command would not
 * do what it says: an unknown script, option, parameter, measurement or test.
 */
export async function runDocumented({ words }: SimpleCommand, project: Project): Promise<void> {
  const [program = '', ...args] = words;
  if (program === 'npx') return runDocumented({ assignments: [], words: args }, project);
  if (program === 'npm') return runNpm(args, project);
  if (program === 'parley') return runParley(args);
  if (program === 'cdk') return checkCdk(args);
  if (program === 'node') return runNode(args);
  if (program === 'jest')
    return checkTests(
      args.slice(args.indexOf('-c') + 2).filter((one) => one !== 'PATHS'),
      project,
    );
  if (program === 'grep') return runGrep(args);
  if (program === '.ci/run') return void readFileSync(join(PROJECT, program));
  // The substitution is a command of its own.
  if (program === 'source' && args[0]?.startsWith('<(')) return;
  throw new Error(`no handler for ${words.join(' ')}: give it one, or a reason in not-run.ts`);
}

function runNpm(args: readonly string[], project: Project): Promise<void> | void {
  const [first = ''] = args;
  if (first === 'run') return runScript(args.filter((one) => one !== '-s').slice(1), project);
  const rest = dropDashes(args.slice(1));
  if (first === 'start') return void readArguments(rest, {});
  if (first === 'test') return checkTests(rest, project);
  throw new Error(`no npm command ${first}`);
}

const dropDashes = (args: readonly string[]): readonly string[] =>
  args.filter((one, index) => !(index === 0 && one === '--'));

/** `npm test -- test/folder --flag`: each path has tests. */
function checkTests(args: readonly string[], { testFiles }: Project): void {
  const missing = args.filter(
    (one) => !one.startsWith('-') && !testFiles.some((path) => new RegExp(one, 'iu').test(path)),
  );
  if (missing.length > 0) throw new Error(`no test ${missing.join(', ')}`);
}

async function runScript([name, ...given]: readonly string[], project: Project): Promise<void> {
  const args = dropDashes(given);
  // `npm run` alone lists the scripts.
  if (name === undefined) return;
  const script = project.scripts[name];
  if (script === undefined) throw new Error(`no script ${name}`);
  if (name === 'parley') return args.length === 0 ? undefined : runParley(args);
  if (name === 'discord:invite') return void formatInvite({ DISCORD_APPLICATION_ID: '123456789012345678' });
  if (name === 'slack:manifest' && !args.includes('--url')) return void formatManifest(args);
  if (name === 'bench') return checkNames('test/bench/run.ts', /^ {2}'?([\w-]+)'?(?:: \w+)?,$/gmu, args);
  if (name === 'check') return checkNames('infra/checks/run.ts', /name: '([\w-]+)'/gu, args);
  const file = /(?:^|\s)([\w./-]+\.ts)$/u.exec(script)?.[1];
  if (file !== undefined && readFileSync(join(PROJECT, file), 'utf8').includes('parseArgs({'))
    return parseOptions(file, args);
  // npm's own option for its bill of materials.
  const foreign = args.filter((one) => !(name === 'sbom' && one === '--omit=dev'));
  if (foreign.length > 0) throw new Error(`${name} takes no ${foreign.join(' ')}`);
}

function checkNames(file: string, pattern: RegExp, names: readonly string[]): void {
  const known = [...readFileSync(join(PROJECT, file), 'utf8').matchAll(pattern)].map(([, name]) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`${file} has no ${unknown.join(', ')}`);
}

function parseOptions(file: string, args: readonly string[]): void {
  // `--replay` in a sentence stands for `--replay TEXT`.
  const complete = args.at(-1) === '--replay' ? [...args, 'TEXT'] : args;
  if (!parseWithOptionsOf(readFileSync(join(PROJECT, file), 'utf8'), complete))
    throw new Error(`${file} does not parse options`);
}

/** Parses the arguments with the real program, whose commands do nothing. A command that a sentence only names prints its help. */
async function runParley(args: readonly string[]): Promise<void> {
  const [name = '--help'] = args;
  const isKnown = createProgram(silent, () => undefined).commands.some((command) => command.name() === name);
  if (name !== '--help' && !isKnown) throw new Error(`unknown command '${name}'`);
  if (args.length < 2 || args.includes('--help')) {
    const exitCode = await main(args.includes('--help') ? args : [...args, '--help'], silent);
    if (exitCode !== 0) throw new Error(`parley ${args.join(' ')} ends with ${exitCode}`);
    return;
  }
  const program = createProgram(silent, () => undefined);
  for (const command of program.commands) command.action(() => undefined);
  await program.parseAsync([...args], { from: 'user' });
}

const CDK_COMMANDS = new Set(['bootstrap', 'deploy', 'diff', 'destroy', 'synth']);

/** `cdk` needs an account, but its options and parameters are those of this project. test/infra/each-choice synthesizes each. */
function checkCdk([command = '', ...args]: readonly string[]): void {
  if (!CDK_COMMANDS.has(command)) throw new Error(`no cdk command ${command}`);
  const pairs: [flag: string, name: string, value: string][] = [];
  for (let at = 0; at < args.length; at += 2) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/su.exec(args[at + 1] ?? '') ?? [];
    pairs.push([args[at] ?? '', name, value]);
  }
  const context = new Map<string, string>();
  for (const [flag, name, value] of pairs) {
    if (flag === '-c') context.set(name, value);
    else if (flag !== '--parameters') throw new Error(`unknown option ${flag}`);
    else if (name !== 'Name') checkParameter(name, value);
  }
  const options = new Set<string>();
  readContextOptions((key) => {
    options.add(key);
    return context.get(key);
  });
  const unknown = [...context.keys()].filter((key) => !options.has(key));
  if (unknown.length > 0) throw new Error(`no context option ${unknown.join(', ')}`);
}

function checkParameter(name: string, value: string): void {
  const parameter = Object.entries(PARAMETERS).find(([one]) => one === name)?.[1];
  if (!parameter) throw new Error(`no parameter ${name}`);
  const pattern = 'allowedPattern' in parameter ? parameter.allowedPattern : '.*';
  const values: readonly string[] = 'allowedValues' in parameter ? parameter.allowedValues : [value];
  if (!new RegExp(`^(?:${pattern})$`, 'u').test(value) || !values.includes(value))
    throw new Error(`${name} may not be ${value}`);
}

function runNode([file = '']: readonly string[]): void {
  if (!existsSync(join(PROJECT, file))) throw new Error(`no file ${file}`);
  const { status, stderr } = spawnSync(process.execPath, ['--check', join(PROJECT, file)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
}

/** A search in the project finds something. At the end of a pipe, without files, only its pattern is tried. */
function runGrep(args: readonly string[]): void {
  const { status, stderr } = spawnSync('grep', args, { cwd: PROJECT, input: args.at(-1), encoding: 'utf8' });
  if (status !== 0) throw new Error(`grep found nothing: ${stderr}`);
}

/** What is wrong with the grammar of shell text, as bash says it; undefined if nothing is. */
export function findShellProblem(text: string): string | undefined {
  const { status, stderr, error } = spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr);
}

import { Argument, type Command } from 'commander';
import { EXIT_CODE } from '../exit-codes.ts';
import { confirmAction, type ConfirmOptions } from '../operator/confirm.ts';
import { OperatorError } from '../operator-error.ts';
import { runOperatorCommand } from '../operator/run-operator-command.ts';
import { formatDuration, formatTime } from '../output/format.ts';
import { parseTimeOption } from '../output/parse-time-option.ts';
import { formatTable } from '../output/table.ts';
import { createTerminalPrompter } from '../setup/terminal-prompter.ts';
import { SetupError } from '../setup/question.ts';
import { inProject } from '../project.ts';
import type { Terminal } from '../terminal.ts';
import {
  addKey,
  KEY_KINDS,
  type KeyKind,
  type KeyRow,
  listKeys,
  removeKey,
  rotateKey,
  type SecretContent,
} from './key-store.ts';
import { type KeyPlace, openDeploymentKeys, openLocalKeys } from './key-places.ts';

const EXAMPLES = `
Keys are shown by their fingerprints, the names that logs use. A new key is typed without being shown, or read from a variable of the
environment (--from-env), so that it is in no history of the shell.

Examples:
  npx parley keys list --stage prod
  npx parley keys rotate models --stage prod --overlap 24h        the former key counts for a day
  NEW_KEY=... npx parley keys add models --from-env NEW_KEY --stage prod --yes
  npx parley keys remove models 3f2a9c0d11e4b8a7 --stage prod
  npx parley keys rotate slack                                    the signing secret in .env

Exit codes: 0 done, 1 not done, 2 wrong arguments.`;

type PlaceOptions = { readonly stage?: string; readonly env: string };
type ChangeOptions = PlaceOptions & ConfirmOptions & { readonly fromEnv?: string };
type RotateOptions = ChangeOptions & { /** ms */ readonly overlap: number };

const DEFAULT_OVERLAP_MS = 60 * 60_000;
const kindArgument = () =>
  new Argument('<kind>', 'the API keys of the models, or the signing secret of Slack').choices(KEY_KINDS);

/** Adds `parley keys`. */
export function addKeysCommand(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const keys = program
    .command('keys')
    .description('List, add, rotate and remove the API keys of the models and the signing secret of Slack.')
    .addHelpText('after', EXAMPLES);
  const run = (work: () => Promise<number>): Promise<void> => runOperatorCommand(terminal, work).then(exit);
  withPlace(keys.command('list').description('Show the fingerprints of all keys.'))
    .option('--json', 'print JSON instead of a table', false)
    .action((options: PlaceOptions & { json: boolean }) => run(() => runList(options, terminal)));
  withChange(
    keys.command('add').description('Add an API key besides the others.').addArgument(kindArgument()),
  ).action((kind: KeyKind, options: ChangeOptions) => run(() => runAdd(kind, options, terminal)));
  withChange(
    keys
      .command('rotate')
      .description('Replace the current key; the former one counts for a while.')
      .addArgument(kindArgument()),
  )
    .option(
      '--overlap <time>',
      'how long the former key counts: 30m, 24h',
      parseTimeOption,
      DEFAULT_OVERLAP_MS,
    )
    .action((kind: KeyKind, options: RotateOptions) => run(() => runRotate(kind, options, terminal)));
  withChange(
    keys
      .command('remove')
      .description('Remove a key.')
      .addArgument(kindArgument())
      .argument('<fingerprint>', 'as "keys list" shows it'),
  ).action((kind: KeyKind, fingerprint: string, options: ChangeOptions) =>
    run(() => runRemove(kind, fingerprint, options, terminal)),
  );
}

const withPlace = (command: Command): Command =>
  command
    .option('--stage <name>', 'a deployment on AWS, in place of .env')
    .option('--env <file>', 'the file with the settings of the local system', inProject('.env'));

const withChange = (command: Command): Command =>
  withPlace(command)
    .option('--from-env <variable>', 'read the new key from this variable of the environment')
    .option('--dry-run', 'only show what would change', false)
    .option('--yes', 'do not ask for confirmation', false);

const openPlace = async ({ stage, env }: PlaceOptions, terminal: Terminal): Promise<KeyPlace> =>
  stage === undefined ? openLocalKeys(env) : openDeploymentKeys(stage, terminal);

async function runList(
  options: PlaceOptions & { readonly json: boolean },
  terminal: Terminal,
): Promise<number> {
  const place = await openPlace(options, terminal);
  const rows: KeyRow[] = [];
  for (const kind of KEY_KINDS) rows.push(...listKeys(kind, await place.read(kind)));
  if (options.json) terminal.print(JSON.stringify({ keys: rows }, undefined, 2));
  else printRows(rows, place, terminal);
  return EXIT_CODE.success;
}

function printRows(rows: readonly KeyRow[], { name }: KeyPlace, { print, width }: Terminal): void {
  if (rows.length === 0) return print(`There is no key in ${name}.`);
  const table = formatTable<KeyRow>(
    rows,
    [
      { title: 'Kind', cell: ({ kind }) => kind },
      { title: 'Fingerprint', cell: ({ fingerprint }) => fingerprint, isWhole: true },
      { title: 'Role', cell: ({ role }) => role },
      { title: 'Counts until', cell: ({ until }) => (until === undefined ? '-' : formatEnd(until)) },
    ],
    width,
  );
  for (const line of table) print(line);
}

const formatEnd = (until: number): string =>
  until <= Date.now() ? `${formatTime(until)} UTC (over: remove it)` : `${formatTime(until)} UTC`;

/** Reads a new key, and changes the secret. Resolves with whether it was stored. */
async function change(
  kind: KeyKind,
  options: ChangeOptions,
  terminal: Terminal,
  verb: string,
  apply: (content: SecretContent, key: string) => SecretContent,
): Promise<boolean> {
  const place = await openPlace(options, terminal);
  if (verb === 'add' && !place.hasSeveral)
    throw new OperatorError(
      `${place.name} has one key of a kind: use "rotate". Several keys are for deployments (--stage).`,
    );
  const key = await readKey(kind, options, terminal);
  const before = await place.read(kind);
  return store(kind, before, apply(before, key), place, options, terminal);
}

async function runAdd(kind: KeyKind, options: ChangeOptions, terminal: Terminal): Promise<number> {
  await change(kind, options, terminal, 'add', (content, key) => addKey(kind, content, key));
  return EXIT_CODE.success;
}

async function runRotate(kind: KeyKind, options: RotateOptions, terminal: Terminal): Promise<number> {
  const untilMs = Date.now() + options.overlap;
  const isStored = await change(kind, options, terminal, 'rotate', (content, key) =>
    rotateKey(kind, content, key, untilMs),
  );
  if (options.stage !== undefined && isStored)
    terminal.report(
      `A former key counts for ${formatDuration(options.overlap)}. Revoke it where it was issued only after that.`,
    );
  return EXIT_CODE.success;
}

async function runRemove(
  kind: KeyKind,
  fingerprint: string,
  options: ChangeOptions,
  terminal: Terminal,
): Promise<number> {
  const place = await openPlace(options, terminal);
  if (!place.hasSeveral)
    throw new OperatorError(`${place.name} has one key of a kind. Rotate it, or delete its line.`);
  const before = await place.read(kind);
  await store(kind, before, removeKey(kind, before, fingerprint), place, options, terminal);
  return EXIT_CODE.success;
}

/** Shows the change, and stores it after a confirmation. Resolves with whether it was stored. */
async function store(
  kind: KeyKind,
  before: SecretContent,
  after: SecretContent,
  place: KeyPlace,
  options: ConfirmOptions,
  terminal: Terminal,
): Promise<boolean> {
  if (after === before) {
    terminal.report('This key is the current one already.');
    return false;
  }
  printRows(listKeys(kind, after), place, terminal);
  if (!(await confirmAction(options, `Store this in ${place.name}?`, terminal))) return false;
  await place.write(kind, after);
  terminal.report(`Stored in ${place.name}. ${place.effect}`);
  return true;
}

/** From the environment, or typed without being shown. */
async function readKey(
  kind: KeyKind,
  { fromEnv }: ChangeOptions,
  { env, confirm }: Terminal,
): Promise<string> {
  if (fromEnv !== undefined) {
    const value = env[fromEnv]?.trim();
    if (!value) throw new OperatorError(`The variable ${fromEnv} is not set in the environment.`);
    return value;
  }
  if (confirm === undefined)
    throw new OperatorError('Nobody can type the key here. Put it into a variable, and add --from-env NAME.');
  const prompter = createTerminalPrompter({ input: process.stdin, output: process.stderr });
  const message = kind === 'models' ? 'New API key of the models' : 'New signing secret of the Slack app';
  try {
    return await prompter.ask({ id: 'key', kind: 'secret', message });
  } catch (error) {
    if (error instanceof SetupError) throw new OperatorError('Nothing was changed.');
    throw error;
  }
}

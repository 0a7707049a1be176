import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { PROJECT, readSourceTree } from '../../infra/checks/source-tree.ts';
import { extractShell, listCommands } from './extract-commands.ts';
import { findReasonNotToRun, findUnusedReasons } from './not-run.ts';
import { findShellProblem, runDocumented } from './run-command.ts';
import { parseWithOptionsOf } from './script-options.ts';
import { parseShell } from './shell-words.ts';

// Every command of every document: run in a cheap form, parsed by its own program, or left out for a reason that its test names.

const files = await readSourceTree();
const manifest: unknown = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
const { scripts } = v.parse(v.object({ scripts: v.record(v.string(), v.string()) }), manifest);
const testFiles = files.map(({ path }) => path).filter((path) => path.endsWith('.test.ts'));
const { blocks, inline } = extractShell(files);
const commands = listCommands([...blocks, ...inline]);
const titled = commands.map((command) => {
  const reason = findReasonNotToRun(command);
  const text = command.words.join(' ').slice(0, 100);
  return { command, reason, title: `${command.place} ${text}${reason ? ` (not run: ${reason})` : ''}` };
});

test('every shell block is shell', () => {
  // One process for all: to start one takes longer than to read them.
  const everything = blocks.map(({ text }) => text).join('\n');
  const wrong = findShellProblem(everything) === undefined ? [] : blocks;
  expect(
    wrong.flatMap(({ path, line, text }) => {
      const problem = findShellProblem(text);
      return problem === undefined ? [] : [`${path}:${line}: ${problem}`];
    }),
  ).toEqual([]);
  expect(findShellProblem('echo "no end')).toMatch(/unexpected EOF/);
});

test.each(titled.filter(({ reason }) => !reason).map(({ title, command }) => [title, command] as const))(
  '%s',
  async (_, command) => {
    await expect(runDocumented(command, { scripts, testFiles })).resolves.toBeUndefined();
  },
);

test.each(titled.filter(({ reason }) => reason).map(({ title, command }) => [title, command] as const))(
  '%s',
  (_, { words }) => {
    expect(() => parseShell(words.join(' '))).not.toThrow();
  },
);

test('every shell block has commands, and every reason is needed', () => {
  expect(blocks.filter(({ text }) => text.trim() === '')).toEqual([]);
  // Were the extraction broken, there would be far fewer.
  expect(blocks.length).toBeGreaterThan(30);
  expect(titled.filter(({ reason }) => !reason).length).toBeGreaterThan(150);
  expect(findUnusedReasons(commands)).toEqual([]);
});

describe('a wrong command is found', () => {
  test.each([
    ['an unknown script', 'npm run frobnicate', /no script frobnicate/],
    ['an unknown option of a script', 'npm run inputs -- --cuont 5', /Unknown option '--cuont'/],
    ['an unknown measurement', 'npm run bench -- speed', /has no speed/],
    ['a test that is gone', 'npm test -- test/nowhere', /no test test\/nowhere/],
    ['an unknown option of npm start', 'npm start -- --prot 4000', /Unknown option '--prot'/],
    ['an unknown command of parley', 'npx parley docter', /unknown command 'docter'/],
    ['an unknown option of parley', 'npx parley doctor --jason', /unknown option '--jason'/],
    ['an unknown context option', 'npx cdk deploy -c realy=on', /no context option realy/],
    ['a wrong value of a context option', 'npx cdk deploy -c relay=yes', /-c relay/],
    ['an unknown parameter', 'npx cdk deploy --parameters UpstreamUrl=https://a.example', /no parameter/],
    ['a wrong value of a parameter', 'npx cdk deploy --parameters Accounts=yes', /may not be yes/],
    ['an unknown program', 'yarn install', /no handler for yarn install/],
  ])('%s', async (_, text, message) => {
    const [command] = parseShell(text);
    if (!command) throw new Error('no command');
    await expect((async () => runDocumented(command, { scripts, testFiles }))()).rejects.toThrow(message);
  });
});

test('shell text is split into commands as bash does', () => {
  const text = `A=1 npm run x -- --y "two words" && b 'it is' | c # no\nT=$(out One)\nd "$(out Two)" \\\n  e`;
  expect(parseShell(text).map(({ words }) => words)).toEqual([
    ['npm', 'run', 'x', '--', '--y', 'two words'],
    ['b', 'it is'],
    ['c'],
    ['d', '$(out Two)', 'e'],
    ['out', 'One'],
    ['out', 'Two'],
  ]);
});

test('options are those that the script passes to parseArgs', () => {
  const source = `parseArgs({ options: { count: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });`;
  expect(parseWithOptionsOf(source, ['--count', '3', '-h'])).toBe(true);
  expect(() => parseWithOptionsOf(source, ['--count'])).toThrow(/argument missing/);
  expect(parseWithOptionsOf('other();', ['--count'])).toBe(false);
});

import { expect, test } from '@jest/globals';
import { readSourceTree } from '../../infra/checks/source-tree.ts';
import { COMMANDS } from '../../shared/commands/index.ts';
import { parseCommand } from '../../shared/commands/arguments/parse-arguments.ts';

// The commands that the documents tell people to type in Slack (`/parley voice auto`) and Discord (`/voice do:auto`).

const CHAT_COMMAND = /`\/([a-z]+) ([^`\n]+)`/gu;
/** Slack's own command, and the one that CONTRIBUTING.md teaches to write. */
const FOREIGN = /^(?:invite|parley count) /u;

const files = await readSourceTree();
const commands = [
  ...new Set(
    files
      .filter(({ path }) => path.endsWith('.md') && path !== 'CHANGELOG.md')
      .flatMap(({ text }) => [...text.matchAll(CHAT_COMMAND)])
      .map(([whole]) => whole.slice(2, -1))
      .filter((text) => !FOREIGN.test(text)),
  ),
];

/** Parses a command as the bot does. A name alone stands for the command, with whatever options. */
function parseTyped(text: string): string {
  const [first = '', ...rest] = text.split(' ');
  const isSlack = first === 'parley';
  const name = isSlack ? (rest[0] ?? '') : first;
  const isNamed = isSlack && rest.length === 1;
  if (isNamed) return COMMANDS.some((one) => one.name === name) ? 'command' : 'unknown';
  // Discord's app splits the options itself.
  const options = Object.fromEntries(
    rest.map((word) => {
      const [option = '', ...value] = word.split(':');
      return [option, value.join(':')];
    }),
  );
  const payload = {
    kind: 'command' as const,
    name,
    options: isSlack ? { text: rest.join(' ') } : options,
    attachments: [],
  };
  const parsed = parseCommand(payload, isSlack ? 'slack' : 'discord', COMMANDS);
  const unknown = Object.keys(isSlack || parsed.kind !== 'command' ? {} : options).filter(
    (option) => parsed.kind === 'command' && !parsed.spec.options.some((one) => one.name === option),
  );
  return unknown.length > 0 ? `unknown option ${unknown.join(', ')}` : parsed.kind;
}

test.each(commands)('/%s', (text) => {
  expect(parseTyped(text)).toBe('command');
});

test('there are commands, and wrong ones are found', () => {
  expect(commands.length).toBeGreaterThan(15);
  expect(parseTyped('parley voise auto')).toBe('unknown');
  expect(parseTyped('parley usage days:many')).toBe('wrong');
  expect(parseTyped('voice do:automatically')).toBe('wrong');
  expect(parseTyped('voice don:auto')).toBe('unknown option don');
});

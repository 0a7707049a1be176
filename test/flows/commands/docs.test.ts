import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { COMMANDS, MESSAGE_COMMANDS } from '../../../shared/flows/commands/specs.ts';
import type { CommandSpec } from '../../../shared/flows/commands/spec.ts';
import { say } from '../../../shared/texts/index.ts';

/** The rows of the tables below a heading of docs/commands.md, without their heads. */
async function rows(heading: string): Promise<string[][]> {
  const page = await readFile('docs/commands.md', 'utf8');
  const part = page.split(/^## /mu).find((one) => one.startsWith(heading)) ?? '';
  const lines = part.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

const on = ({ platforms }: Pick<CommandSpec, 'platforms'>) =>
  (['slack', 'discord'] as const).map((one) => (platforms.includes(one) ? 'yes' : 'no'));

test('docs/commands.md has every command with its options, where it is and who sees the answer', async () => {
  const expected = COMMANDS.map((spec) => {
    const options = spec.options.map(({ name, required }) => (required ? name : `[${name}]`));
    return [
      `\`${[spec.name, ...options].join(' ')}\``,
      ...on(spec),
      spec.answers ?? 'private',
      say('en', spec.about),
    ];
  });
  expect(await rows('By name')).toEqual(expected);
});

test('and every command in the menu of a message; Discord takes five', async () => {
  expect(await rows('In the menu')).toEqual(
    MESSAGE_COMMANDS.map((spec) => [spec.label, ...on(spec), spec.answers ?? 'private']),
  );
  expect(MESSAGE_COMMANDS.filter(({ platforms }) => platforms.includes('discord')).length).toBeLessThan(6);
});

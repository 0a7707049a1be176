import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { DEFAULT_IDENTITY } from './identity.ts';
import { ADA, setUp } from './harness.ts';

const identity = {
  ...DEFAULT_IDENTITY,
  groups: [{ id: 'S0SALES000', handle: 'sales', users: [ADA] }],
};

const textOf = (typed: string, more: object = {}): unknown => {
  const { workspace } = setUp({ identity: { ...identity, ...more } });
  return workspace.command(ADA, `/parley ${typed}`, 'general')['text'];
};

test('a mention in a command arrives as an id, as Slack escapes it', () => {
  expect(textOf('quota block who:@Grace now')).toBe('quota block who:<@U0GRACE000|grace> now');
  expect(textOf('settings denied @sales @parley')).toBe(
    `settings denied <!subteam^S0SALES000|@sales> <@${identity.botUserId}|parley>`,
  );
  expect(textOf('settings channels #general')).toMatch(/^settings channels <#C\w+\|general>$/);
  expect(textOf('ask @here: 1 < 2 & 3? https://a.example/?a=1&b=2')).toBe(
    'ask <!here>: 1 &lt; 2 &amp; 3? <https://a.example/?a=1&amp;b=2>',
  );
});

test('a command that the app does not have is refused, and not sent to it', () => {
  const { workspace } = setUp({ identity: { ...identity, commands: ['/parley'] } });
  expect(workspace.command(ADA, '/parley help', 'general')).toMatchObject({ command: '/parley' });
  expect(() => workspace.command(ADA, '/ask hello', 'general')).toThrow('/ask is not a valid command.');
});

test('an unknown name stays as typed, and a typed id mentions nobody', () => {
  expect(textOf('quota block who:@nobodyatall #nowhere')).toBe('quota block who:@nobodyatall #nowhere');
  expect(textOf('quota block <@U0GRACE000>')).toBe('quota block &lt;@U0GRACE000&gt;');
});

test('without should_escape everything stays as typed; the manifest of the app sets it', () => {
  expect(textOf('quota block @grace', { commandsEscaped: false })).toBe('quota block @grace');
  const command = v.object({ should_escape: v.literal(true) });
  const manifest = v.object({
    features: v.object({ slash_commands: v.pipe(v.array(command), v.minLength(1)) }),
  });
  expect(() => v.parse(manifest, JSON.parse(readFileSync('docs/slack-app.json', 'utf8')))).not.toThrow();
});

import { expect, test } from '@jest/globals';
import { buildInvite, formatInvite } from '../../../infra/cli/invite.ts';

test('the invite URL requests exactly the permissions in use', () => {
  const { url, permissions, reasons: rights } = buildInvite('901', undefined);
  // View, send, attach files, read history, add reactions, create public threads, send in threads, send voice
  // messages.
  const bits = [10n, 11n, 15n, 16n, 6n, 35n, 38n, 46n];
  expect(permissions).toBe(bits.reduce((all, bit) => all | (1n << bit), 0n));
  expect(rights).toHaveLength(bits.length);
  const address = new URL(url);
  expect(address.origin + address.pathname).toBe('https://discord.com/oauth2/authorize');
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_id: '901',
    scope: 'bot applications.commands',
    permissions: String(permissions),
  });
});

test.each([
  [undefined, 0],
  ['mentions', 4609],
  ['all', 37377],
] as const)('the profile %s has the intents %d', (profile, intents) => {
  expect(buildInvite('901', profile).intents).toBe(intents);
});

test('the command names a missing value, or prints the requested one', () => {
  expect(formatInvite({})).toHaveLength(1);
  const all = formatInvite({ DISCORD_APPLICATION_ID: '901', DISCORD_MESSAGES: 'all' }).join('\n');
  expect(all).toContain('37377; switch on Message Content');
});

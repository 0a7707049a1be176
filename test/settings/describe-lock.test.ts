import { expect, test } from '@jest/globals';
import { describeLock } from '../../shared/settings/index.ts';

test.each([
  ['slack', 'workspace', 'This is locked by the workspace.'],
  ['discord', 'workspace', 'This is locked by the server.'],
  ['discord', 'channel', 'This is locked by this channel.'],
] as const)('in %s a lock of the %s is described in the words of the platform', (platform, by, text) => {
  expect(describeLock({ by, reason: '' }, 'en', platform)).toBe(text);
});

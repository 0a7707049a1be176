import { describe, expect, test } from '@jest/globals';
import { mayUseBot, type SettingsLayers } from '../../../shared/settings/rules/index.ts';

describe('mayUseBot', () => {
  const asker = { user: 'U2', roles: ['R1'], channel: 'C1', admin: false };
  test.each([
    ['allows everyone if nothing is set', {}, undefined],
    ['allows the listed people', { workspace: { values: { allowed: ['U2'] } } }, undefined],
    ['allows people with a listed role', { workspace: { values: { allowed: ['R1'] } } }, undefined],
    ['recognizes a role as Discord mentions it', { workspace: { values: { denied: ['&R1'] } } }, 'denied'],
    ['refuses everyone else', { workspace: { values: { allowed: ['U3'] } } }, 'not-allowed'],
    [
      'lets a channel allow other people',
      { channel: { values: { allowed: ['U2'] } }, workspace: { values: { allowed: ['U3'] } } },
      undefined,
    ],
    [
      'refuses denied people even if they are allowed',
      { workspace: { values: { allowed: ['U2'], denied: ['R1'] } } },
      'denied',
    ],
    [
      'refuses people whom the workspace denies, whatever the channel denies',
      { channel: { values: { denied: ['U9'] } }, workspace: { values: { denied: ['U2'] } } },
      'denied',
    ],
    ['allows listed channels', { workspace: { values: { channels: ['C1'] } } }, undefined],
    ['refuses other channels', { workspace: { values: { channels: ['C2'] } } }, 'not-here'],
  ])('%s', (_, layers: SettingsLayers, expected) => {
    expect(mayUseBot(asker, layers)).toBe(expected);
    expect(mayUseBot({ ...asker, admin: true }, layers)).toBeUndefined();
  });
});

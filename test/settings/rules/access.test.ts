import { describe, expect, test } from '@jest/globals';
import {
  findAccessRefusal,
  getAccessRefusal,
  type SettingsLayers,
} from '../../../shared/settings/rules/index.ts';

describe('getAccessRefusal', () => {
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
    expect(getAccessRefusal(asker, layers)).toBe(expected);
    expect(getAccessRefusal({ ...asker, admin: true }, layers)).toBeUndefined();
  });
});

const asMember = async () => ({ admin: false, roles: [] });
const failLookUp = () => Promise.reject(new Error('roles are looked up'));

describe('findAccessRefusal', () => {
  const subject = { user: 'U2', channel: 'C1' };
  const onlyRole: SettingsLayers = { workspace: { values: { allowed: ['R1'] } } };

  test('looks up no roles when access is not restricted', async () => {
    expect(await findAccessRefusal(subject, {}, failLookUp)).toBeUndefined();
    await expect(findAccessRefusal(subject, onlyRole, failLookUp)).rejects.toThrow('roles are looked up');
  });

  test.each([
    ['refuses a member without a listed role', { admin: false, roles: [] }, 'not-allowed'],
    ['allows a member with a listed role', { admin: false, roles: ['R1'] }, undefined],
    ['allows an admin', { admin: true, roles: [] }, undefined],
  ])('%s when access is restricted', async (_, roles, expected) => {
    expect(await findAccessRefusal(subject, onlyRole, async () => roles)).toBe(expected);
  });

  test('ignores the list of channels where there is no channel', async () => {
    const layers: SettingsLayers = { workspace: { values: { channels: ['C2'] } } };
    expect(await findAccessRefusal(subject, layers, asMember)).toBe('not-here');
    expect(await findAccessRefusal({ ...subject, channel: undefined }, layers, asMember)).toBeUndefined();
  });
});

import { describe, expect, test } from '@jest/globals';
import { channelId, userId, workspaceId } from '../../shared/domain/index.ts';
import type { FindMemberRoles, MemberRoles } from '../../shared/platforms/ports/index.ts';
import type { SettingsLayers } from '../../shared/settings/rules/index.ts';
import { findAccessRefusal } from '../../shared/settings/index.ts';

const PLACE = { platform: 'discord', workspace: workspaceId('T1'), channel: channelId('C1') } as const;
const USER = userId('U2');
const ONLY_ROLE: SettingsLayers = { workspace: { values: { allowed: ['R1'] } } };
const MEMBER: MemberRoles = { admin: false, roles: [] };
const WITH_ROLE: MemberRoles = { admin: false, roles: ['R1'] };
const ADMIN: MemberRoles = { admin: true, roles: [] };

/** A platform on which everybody has these roles. It counts the look-ups. */
function rolesLookup(roles: MemberRoles) {
  let lookups = 0;
  const memberRoles: FindMemberRoles = async () => {
    lookups += 1;
    return roles;
  };
  return { memberRoles, lookups: () => lookups };
}

const failToReturnRoles: FindMemberRoles = async () => {
  throw new Error('the platform does not respond');
};

describe('findAccessRefusal', () => {
  test('looks up no roles when access is not restricted', async () => {
    const platform = rolesLookup(MEMBER);
    expect(await findAccessRefusal(PLACE, USER, {}, platform)).toBeUndefined();
    expect(platform.lookups()).toBe(0);
  });

  test.each([
    ['refuses a member without a listed role', MEMBER, 'not-allowed'],
    ['allows a member with a listed role', WITH_ROLE, undefined],
    ['allows an admin', ADMIN, undefined],
  ])('%s when access is restricted', async (_, roles, expected) => {
    const platform = rolesLookup(roles);
    expect(await findAccessRefusal(PLACE, USER, ONLY_ROLE, platform)).toBe(expected);
    expect(platform.lookups()).toBe(1);
  });

  test('uses the roles that the platform sent with an interaction instead of a look-up', async () => {
    const platform = rolesLookup(MEMBER);
    expect(await findAccessRefusal(PLACE, USER, ONLY_ROLE, platform, WITH_ROLE)).toBeUndefined();
    expect(platform.lookups()).toBe(0);
  });

  test('ignores the list of channels in a direct message, and applies it in a channel', async () => {
    const layers: SettingsLayers = { workspace: { values: { channels: ['C2'] } } };
    const { channel: _, ...directMessage } = PLACE;
    const platform = rolesLookup(MEMBER);
    expect(await findAccessRefusal(PLACE, USER, layers, platform)).toBe('not-here');
    expect(await findAccessRefusal(directMessage, USER, layers, platform)).toBeUndefined();
  });

  test('rejects when the platform fails to return the roles', async () => {
    const failing = { memberRoles: failToReturnRoles };
    await expect(findAccessRefusal(PLACE, USER, ONLY_ROLE, failing)).rejects.toThrow('platform');
  });
});

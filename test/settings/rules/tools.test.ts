import { describe, expect, test } from '@jest/globals';
import {
  findEnabledTools,
  hasEnabledTools,
  isToolSourceName,
  type SettingsLayers,
} from '../../../shared/settings/rules/index.ts';

const on = (workspace?: readonly string[], channel?: readonly string[]): SettingsLayers => ({
  workspace: workspace && { values: { tools: workspace } },
  channel: channel && { values: { tools: channel } },
});
const enabledFor = (user: string, layers: SettingsLayers, roles: readonly string[] = []) =>
  findEnabledTools(user, layers, () => Promise.resolve({ roles }));

const noRoles = () => Promise.reject(new Error('no roles'));

describe('the sources of tools that are on', () => {
  test.each([
    ['none without the setting', on(), []],
    ['those of the workspace', on(['search', 'jira']), ['search', 'jira']],
    ['those of the channel in place of the workspace’s', on(['search'], ['jira']), ['jira']],
    ['none if the channel turns them off', on(['search'], []), []],
    ['each once', on(['jira', 'jira@U1']), ['jira']],
    ['one for this person', on(['jira@U1']), ['jira']],
    ['none for somebody else', on(['jira@U2']), []],
    ['one for a group of this person', on(['jira@S7', 'search@S8']), ['jira']],
    ['one for a Discord role of this person', on(['jira@&S7']), ['jira']],
  ])('are %s', async (_, layers, expected) => {
    expect(await enabledFor('U1', layers, ['S7'])).toEqual(expected);
  });

  test('a lock of the workspace binds the channel', async () => {
    const locked: SettingsLayers = {
      workspace: { values: { tools: [] }, locks: { tools: { reason: 'Not yet' } } },
      channel: { values: { tools: ['jira'] } },
    };
    expect(await enabledFor('U1', locked)).toEqual([]);
    expect(hasEnabledTools(locked)).toBe(false);
  });

  test('are found without the person’s roles if no entry needs them', async () => {
    expect(await findEnabledTools('U1', on(['search', 'jira@U1']), noRoles)).toEqual(['search', 'jira']);
    await expect(findEnabledTools('U1', on(['jira@S7']), noRoles)).rejects.toThrow('no roles');
  });
});

test('a name of a source has lower-case letters, digits and hyphens', () => {
  const names = ['jira', 'a-1', 'Jira', '1a', 'a_b', '', 'a'.repeat(25), 'a@b'];
  expect(names.filter(isToolSourceName)).toEqual(['jira', 'a-1']);
});

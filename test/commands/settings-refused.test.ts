import { expect, test } from '@jest/globals';
import { workspaceId } from '../../shared/domain/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { toolServersIn } from '../fakes/tool-servers.ts';
import { TestTime } from '../upstream/time.ts';
import { fakeInteraction, commandHarness, typedCommand } from './command-harness.ts';
import { ADMIN, settingsHarness } from './settings-harness.ts';

test.each([
  ['a setting that there is not', ['workspace', 'constructor', '0']],
  ['a revision that is none', ['workspace', 'video', 'newest']],
])('not even those who administer press %s: the card is from an earlier time', async (_, args) => {
  const { press } = settingsHarness();
  expect(await press('settings.set', args, ['off'], ADMIN)).toContain('out of date');
});

/** What is told of a lock on one’s own settings. */
const own = async (platform: 'slack' | 'discord') => {
  const at = commandHarness();
  const options = { name: 'model', value: 'usual', for: 'me', lock: 'paid' };
  const call =
    platform === 'slack'
      ? typedCommand('settings model usual for:me lock:paid')
      : { ...typedCommand(''), name: 'settings', options };
  const by = { ...ADMIN, locale: 'de' };
  await at.call(fakeInteraction(call, { platform, by }));
  return JSON.stringify(at.stage.answers.at(-1)?.card);
};

test('a lock of personal settings is refused, with the levels at which locks are possible', async () => {
  expect(await own('slack')).toMatch(/`for:channel`.*`for:workspace`/u);
  expect(await own('discord')).toMatch(/`für:diesen Kanal`.*`für:alle`/u);
});

test('tools of an unknown name are refused, and those that exist are listed, those of an extension too', async () => {
  const toolServers = toolServersIn(new TestTime());
  const toolSources = ['knowledge', 'orders'].map((name) => ({ names: [name], load: async () => [] }));
  const { type } = settingsHarness(DEFAULTS, { toolServers, toolSources });
  const jira = { name: 'jira', url: 'https://mcp.example.com/', auth: 'none', tools: [] } as const;
  const place = { platform: 'slack', workspace: workspaceId('T1') } as const;
  await toolServers.servers.add(place, jira);
  const set = (value: string) => type(`settings tools ${value} for:workspace`, ADMIN);
  expect(await set('jira,jirra')).toMatch(
    /no tools of the name “jirra” here\. One of: `knowledge`.*`orders`.*`jira`/u,
  );
  expect(await set('knowledge@U1 jira')).toContain('knowledge@U1, jira');
  expect(await type('tools on jirra', ADMIN)).toMatch(/“jirra”.*`knowledge`.*`jira`/u);
  // What is set already stays possible: its server may be gone.
  await toolServers.servers.remove(place, 'jira');
  expect(await set('jira knowledge')).toContain('jira, knowledge');
  expect(await type('tools off jira for:workspace', ADMIN)).toContain('`jira` is off everywhere now');
  expect(await type('tools off jira for:workspace', ADMIN)).toContain('no tools of the name “jira”');
  expect(await type('settings tools whatever for:workspace')).toContain('an owner or an admin');
});

import { expect, test } from '@jest/globals';
import { type InteractionPayload, workspaceId } from '../../shared/domain/index.ts';
import { FAILURE_REASONS } from '../../shared/mcp/protocol.ts';
import { toolServersIn } from '../fakes/tool-servers.ts';
import { LOCALES } from '../../shared/i18n/index.ts';
import { TestTime } from '../upstream/time.ts';
import { ADA, ADMIN, knowledgeHarness } from './knowledge-harness.ts';

/** Ada in Discord, whose app is in this language. */
const inDiscord = (locale: string) => ({
  platform: 'discord' as const,
  by: { user: ADA, workspace: workspaceId('T1'), roles: [], locale },
});

test('hints name commands as the platform has them: typed in Slack, with named and translated options in Discord', async () => {
  const { type, send } = knowledgeHarness();
  const command: InteractionPayload = { kind: 'command', name: 'knowledge', options: {}, attachments: [] };
  expect(await type('knowledge')).toContain('`/parley tools on knowledge`');
  expect(await send(command, ADA, inDiscord('ja'))).toContain('`/ツール 操作:オンにする サーバー:knowledge`');
  expect(await send(command, ADA, inDiscord('de'))).toContain('`/tools aktion:Einschalten was:knowledge`');
});

test('the administrator who follows the hint is told that the knowledge is on', async () => {
  const { type } = knowledgeHarness({ toolSources: [{ names: ['knowledge'], load: async () => [] }] });
  expect(await type('tools', ADMIN)).toMatch(/no servers yet.*`\/parley tools on knowledge`/u);
  expect(await type('tools on knowledge', ADMIN)).toContain('`knowledge` is on in this channel now');
  expect(await type('knowledge')).toContain('`/parley knowledge add https://…`');
  expect(await type('tools off knowledge', ADMIN)).toContain('`knowledge` is off in this channel now');
});

test.each(FAILURE_REASONS)(
  'a page that cannot be added (%s) ends with what to do, in each language',
  async (reason) => {
    const request = async () => ({ kind: 'failed' as const, reason, mayHaveRun: false });
    const { type, turnOn } = knowledgeHarness({ toolServers: { ...toolServersIn(new TestTime()), request } });
    await turnOn();
    const answers = new Set<string>();
    for (const locale of LOCALES) {
      const by = { user: ADA, workspace: workspaceId('T1'), roles: [], locale };
      const answer = await type('knowledge add https://nowhere.example/page', ADA, { by });
      expect(answer).toMatch(/_More actions › [^_]+_/u);
      answers.add(answer);
    }
    expect(answers.size).toBe(LOCALES.length);
  },
);

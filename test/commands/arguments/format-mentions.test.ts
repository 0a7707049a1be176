import { describe, expect, test } from '@jest/globals';
import { renderCard as drawInDiscord } from '../../../shared/platforms/discord/blocks/card-components.ts';
import { renderCard as drawInSlack } from '../../../shared/platforms/slack/blocks/card-blocks.ts';
import { fakeInteraction } from '../command-harness.ts';
import { ADMIN, settingsHarness } from '../settings-harness.ts';

/** The card after such a change, and that of all changes, as a platform draws them. */
async function card(text: string, platform: 'slack' | 'discord'): Promise<string[]> {
  const { call, stage } = settingsHarness();
  const by = ADMIN;
  const options: Record<string, string> =
    platform === 'slack' ? { text } : { name: 'denied', value: text, for: 'workspace' };
  const name = platform === 'slack' ? '/parley' : 'settings';
  const set = { kind: 'command' as const, name, options, attachments: [] };
  await call({ ...fakeInteraction(set, { by }), platform });
  const action = { name: 'settings.log', args: ['workspace'] };
  await call({ ...fakeInteraction({ kind: 'action', action, chosen: [] }, { id: 'log', by }), platform });
  const draw = platform === 'slack' ? drawInSlack : drawInDiscord;
  return stage.answers.map((one) => JSON.stringify(draw(one.card)));
}

describe('people, roles, groups and channels', () => {
  test('are shown as mentions in Slack', async () => {
    for (const expected of await card(
      'settings denied <@U1> <!subteam^S1|@sales> <@U2|ada> for:workspace',
      'slack',
    ))
      expect(expected).toContain('<@U1>, <!subteam^S1>, <@U2>');
    for (const expected of await card('settings bots <@U2> B7 for:workspace', 'slack'))
      expect(expected).toContain('<@U2>, B7');
    for (const expected of await card('settings channels <#C1|lab> for:workspace', 'slack'))
      expect(expected).toContain('<#C1>');
    for (const expected of await card('settings favoured <@U1>*0.5 <!subteam^S1> for:workspace', 'slack'))
      expect(expected).toContain('<@U1> ×0.5, <!subteam^S1>');
  });

  test('are shown as mentions in Discord, which has another format for roles', async () => {
    for (const expected of await card('<@41> <@&61> 7', 'discord'))
      expect(expected).toContain('<@41>, <@&61>, <@7>');
  });

  test('are shortened to the first entries', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => `<@U${100 + i}>`).join(' ');
    const [expected, log] = await card(`settings denied ${ids} for:workspace`, 'slack');
    expect(expected).toContain('<@U114>, +25');
    expect(log).toMatch(/<@U100>.* …/u);
  });

  test('an unknown name is refused with the expected format', async () => {
    for (const name of ['@ada', 'ada', '<!channel>']) {
      const [failure, log] = await card(`settings denied ${name} for:workspace`, 'slack');
      expect(failure).toContain('mention them as `@name`');
      expect(failure).not.toContain('<!channel>');
      expect(log).toContain('Nothing was changed yet');
    }
    expect((await card('@ada', 'discord'))[0]).toContain('mention them as');
  });
});

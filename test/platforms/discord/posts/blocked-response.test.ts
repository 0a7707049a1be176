import { afterEach, expect, test } from '@jest/globals';
import {
  type InteractionPayload,
  messageId,
  NO_GUILD,
  textCard,
  userId,
} from '../../../../shared/domain/index.ts';
import {
  createDiscordMessenger,
  createGuildFinder,
  toWorkspaceId,
} from '../../../../shared/platforms/discord/index.ts';
import { INTERACTION_TOKEN_TTL_MS } from '../../../../shared/platforms/discord/api/call.ts';
import { ReplyRefusedError } from '../../../../shared/platforms/ports/index.ts';
import { fakeInteraction } from '../../../commands/command-harness.ts';
import { ADA } from '../../../simulators/discord/index.ts';
import { start, stopAll } from '../../../simulators/discord/app-harness.ts';
import { clock } from '../clock.ts';
import { callSimulated } from '../call-simulated.ts';

afterEach(stopAll);

const EDIT = 'PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original';
const FOLLOW_UP = 'POST /webhooks/{webhook_id}/{webhook_token}';
const CARD = textCard('See https://bad.example');

/** Ada has used a command, which was deferred. `respond`: what the worker does then; `kind`: for the command, or for a button below its response. */
async function afterCommand() {
  const shared = process.env['PARLEY_SHARED'];
  const { simulator, core, last } = await start(() => ({ type: 5, data: { flags: 64 } }), { shared });
  const { apiUrl, applicationId, botToken, faults, calls } = simulator;
  await simulator.slash('ada', undefined, 'settings model', { name: 'a' });
  const interaction = last();
  if (!interaction) throw new Error('no interaction');
  const call = callSimulated({ apiUrl, applicationId, botToken });
  const messenger = createDiscordMessenger({
    call,
    time: clock,
    applicationId,
    guild: createGuildFinder({ call, time: clock }),
    findInteractionToken: async () => undefined,
  });
  const payloads: Record<'command' | 'action', InteractionPayload> = {
    command: { kind: 'command', name: 'settings', options: {}, attachments: [] },
    action: { kind: 'action', action: { name: 'settings.show', args: [] }, chosen: [] },
  };
  const respond = (kind: keyof typeof payloads, isPublic?: boolean, card = CARD, tokenMs = 60_000) =>
    messenger.respond(
      fakeInteraction(payloads[kind], {
        platform: 'discord',
        id: messageId(interaction.id),
        responseToken: interaction.token,
        tokenExpiresAtMs: clock.now() + tokenMs,
        by: { user: userId(ADA), workspace: toWorkspaceId(NO_GUILD), locale: 'de', roles: [] },
      }),
      card,
      isPublic,
    );
  const seen = () => core.messages(core.channel, ADA).map((one) => JSON.stringify(one));
  const count = (route: string) => calls.filter((one) => one.route === route).length;
  return { respond, seen, faults, count };
}

test.each([
  ['the filter for harmful links', 240_000],
  ['the automatic moderation of the guild', 200_000],
])(
  'a response that %s blocks is refused with the reason, and another text takes its place',
  async (_, code) => {
    const { respond, seen, faults, count } = await afterCommand();
    faults.add({ kind: 'refuse', code, route: EDIT });
    await expect(respond('command')).rejects.toMatchObject({ why: 'words-blocked' });
    expect(count(EDIT)).toBe(1);
    await respond('command', false, textCard('Other words'));
    const [shown, ...others] = seen();
    expect(others).toEqual([]);
    expect(shown).toContain('Other words');
  },
);

test('any other refusal has no such reason', async () => {
  const { respond, faults, count } = await afterCommand();
  faults.add({ kind: 'refuse', code: 50_035, route: FOLLOW_UP });
  const refusal = await respond('action').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ReplyRefusedError);
  expect(refusal).toMatchObject({ why: undefined });
  expect(count(FOLLOW_UP)).toBe(1);
});

test.each([10_015, 10_008])(
  'right after the command, Discord may not know its deferred response yet (%i): the response is sent again',
  async (code) => {
    const { respond, seen, faults, count } = await afterCommand();
    faults.add({ kind: 'refuse', code, route: EDIT, times: 2 });
    await respond('command', false, textCard('Here it is'), INTERACTION_TOKEN_TTL_MS);
    expect(count(EDIT)).toBe(3);
    expect(seen()).toEqual([expect.stringContaining('Here it is')]);
  },
);

test('a response is not sent again to a deferred response that the person has deleted', async () => {
  const { respond, faults, count } = await afterCommand();
  faults.add({ kind: 'refuse', code: 10_008, route: EDIT, times: 9 });
  await expect(respond('command')).rejects.toBeInstanceOf(ReplyRefusedError);
  expect(count(EDIT)).toBe(1);
});

import { describe, expect, test } from '@jest/globals';
import { userId } from '../../../shared/domain/index.ts';
import { DEFAULTS } from '../../../shared/ports/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';
import { ADMIN, MEMBER } from '../settings-harness.ts';

const listed = (id: string, retirement?: { at: number; replacement?: string }) => ({
  id,
  inputModalities: ['text'],
  capabilities: [],
  ready: true,
  retirement,
  pricePerThousand: () => undefined,
});

/** A workspace that uses `usual`, with `spare` as fallback; `other` is in the list only. */
function harness() {
  let calls = 0;
  const at = commandHarness({
    settings: { ...DEFAULTS, standIns: ['spare'] },
    chat: {
      ...streamsOnly,
      model: 'usual',
      async *stream() {
        yield* [];
      },
      listModels: async () => [
        listed('usual', { at: Date.UTC(2027, 2, 1), replacement: 'next' }),
        listed('spare', { at: Date.UTC(2027, 3, 1) }),
        listed('other', { at: Date.UTC(2027, 4, 1) }),
        listed('next'),
      ],
    },
  });
  const type = async (text: string, by = MEMBER) => {
    calls += 1;
    await at.call(fakeInteraction(typedCommand(text), { id: `call-${calls}`, by }));
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  return { ...at, type };
}

describe('a model in use that will be switched off', () => {
  test('is announced once to an administrator in a direct message, with date, replacement and command', async () => {
    const { type, stage } = harness();
    await type('help', MEMBER);
    expect(stage.directMessages).toEqual([]);
    await type('help', ADMIN);
    const [first, second] = stage.directMessages.map(({ user, card }) => [user, JSON.stringify(card)]);
    expect(first?.[0]).toBe(ADMIN.user);
    expect(first?.[1]).toMatch(/`usual` will be switched off on 1 March 2027.*`next`.*`\/parley model`/u);
    expect(second?.[1]).toMatch(/`spare` will be switched off on 1 April 2027/u);
    await type('help', ADMIN);
    await type('help', { ...ADMIN, user: userId('U8') });
    expect(stage.directMessages).toHaveLength(2);
  });

  test('is shown on the card of the command model, and in its facts', async () => {
    const { type } = harness();
    const card = await type('model');
    expect(card).toContain('`usual` will be switched off on 1 March 2027');
    expect(card).toContain('`other` text · ⚠ 2027-05-01');
    expect(card).not.toContain('`other` will be');
  });

  test('is shown in the App Home of admins', async () => {
    const { call, stage } = harness();
    const open = async (by: typeof MEMBER, id: string) => {
      await call(fakeInteraction({ kind: 'home' }, { id, by }));
      return JSON.stringify(stage.answers.at(-1)?.card);
    };
    expect(await open(ADMIN, 'home-1')).toContain('`usual` will be switched off');
    expect(await open(MEMBER, 'home-2')).not.toContain('switched off');
  });

  test('is shown on the cards even if the direct message cannot be sent', async () => {
    const { type, stage } = harness();
    stage.refuse.sendDirectMessage = new Error('closed');
    expect(await type('model', ADMIN)).toContain('`usual` will be switched off');
  });
});

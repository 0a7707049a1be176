import { expect, test } from '@jest/globals';
import type { Card } from '../../shared/conversation/index.ts';
import type { Chat, Settings } from '../../shared/flows/index.ts';
import { offerFollowUps } from '../../shared/flows/follow-ups.ts';
import { rig, TURN } from './rig.ts';

const never = () => Promise.reject(new Error('not for this'));

async function offer(
  suggest: NonNullable<Chat['suggest']>,
  {
    settings = { followUpModel: 'cheap' },
    finish = 'stop',
  }: { settings?: Partial<Settings>; finish?: string } = {},
) {
  const { work, logged } = rig([], { settings });
  const cards: { card: Card; key: string }[] = [];
  const asked: string[] = [];
  const stage = {
    card: async (_: unknown, card: Card, key: string) => {
      cards.push({ card, key });
      return TURN.message;
    },
    hand: never,
    removeCard: never,
    respond: never,
    open: never,
    tell: never,
    begin: never,
    link: never,
    upload: never,
    uploaded: never,
  };
  const chat: Chat = {
    ...work.deps.chat,
    suggest: async (prompt, options) => {
      asked.push(options.model);
      await options.beforeAttempt();
      return suggest(prompt, options);
    },
  };
  const ending = { kind: 'answered', text: 'Four.', finish, model: 'model-a' } as const;
  await offerFollowUps(TURN, 'What is 2 + 2?', ending, { ...work.deps, chat, stage }, work.delivery, 'de');
  const labels = cards.flatMap(({ card }) =>
    card.parts.flatMap((part) => (part.kind === 'controls' ? part.controls.map(({ label }) => label) : [])),
  );
  return { cards, labels, asked, logged };
}

test('the questions of a cheap model become buttons, but for those that no button can hold', async () => {
  const { labels, asked, cards } = await offer(async () => [
    'And 3 + 3?',
    ' ',
    'x'.repeat(200),
    'Why?',
    'Who?',
    'No.',
  ]);
  expect(asked).toEqual(['cheap']);
  expect(labels).toEqual(['And 3 + 3?', 'Why?', 'Who?']);
  expect(JSON.stringify(cards[0]?.card)).toContain('Als Nächstes');
  expect(cards[0]?.key).toBe(`follow-ups-${TURN.message}`);
});

const why = async () => ['Why?'];

test('none are asked for where none are wanted, or below an answer that was cut', async () => {
  expect((await offer(why, { settings: {} })).asked).toEqual([]);
  expect((await offer(why, { finish: 'length' })).asked).toEqual([]);
});

test('what fails is logged, and no more', async () => {
  const { cards, logged } = await offer(() => Promise.reject(new TypeError('broken')));
  expect(cards).toEqual([]);
  expect(logged).toEqual(['follow-ups.failed {"error":"TypeError"}']);
});

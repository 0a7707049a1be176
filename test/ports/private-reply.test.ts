import { expect, test } from '@jest/globals';
import type { Card } from '../../shared/domain/index.ts';
import { replyPrivately } from '../../shared/ports/private-reply.ts';
import { ReplyRefusedError } from '../../shared/platforms/ports/index.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import { TestTime } from '../upstream/time.ts';
import { INTERACTION } from '../voice/voice-harness.ts';

const CARD: Card = { parts: [{ kind: 'text', markdown: 'Done.' }] };

/** A reply whose first calls fail with these. */
async function replied(failures: readonly Error[]) {
  const time = new TestTime();
  const startedAt = time.now();
  const messenger = new FakeMessenger();
  const left = [...failures];
  let tries = 0;
  const stage = Object.assign(new FakeMessenger(), {
    respond: async (...args: Parameters<FakeMessenger['respond']>) => {
      tries += 1;
      const failure = left.shift();
      if (failure) throw failure;
      await messenger.respond(...args);
    },
  });
  const logged: string[] = [];
  const reply = replyPrivately(
    INTERACTION,
    CARD,
    'de',
    { messenger: stage, time, log: (event) => void logged.push(event) },
    'unheard',
  );
  await reply;
  const texts = messenger.answers.map(({ card }) => JSON.stringify(card));
  return { tries, logged, shown: texts.length, texts, waitedMs: time.now() - startedAt };
}

test('a private reply that the platform does not take in a bad moment comes in the next', async () => {
  const lost = new Error('no answer');
  expect(await replied([])).toMatchObject({ tries: 1, logged: [], shown: 1, waitedMs: 0 });
  // A person sees within half a second that the bot has taken notice, if only the first try was lost.
  expect(await replied([lost])).toMatchObject({ tries: 2, logged: [], shown: 1, waitedMs: 500 });
  expect(await replied([lost, lost])).toMatchObject({ tries: 3, logged: [], shown: 1, waitedMs: 2_000 });
  expect(await replied([lost, lost, lost, lost])).toMatchObject({
    tries: 4,
    logged: ['unheard'],
    shown: 0,
    waitedMs: 6_000,
  });
});

test('one whose interaction token has expired, or that is refused, is not tried again', async () => {
  expect(await replied([new ReplyRefusedError('expired')])).toMatchObject({
    tries: 1,
    logged: ['unheard'],
    shown: 0,
    waitedMs: 0,
  });
});

test('one whose words a filter blocks is replaced by a notice in the language of the person, once', async () => {
  const blocked = new ReplyRefusedError('no', { why: 'words-blocked' });
  const notice = expect.stringContaining('Discord nimmt meine Antwort nicht an');
  expect(await replied([blocked])).toMatchObject({
    tries: 2,
    logged: ['unheard'],
    texts: [notice],
    waitedMs: 0,
  });
  expect(await replied([blocked, blocked])).toMatchObject({ tries: 2, texts: [], waitedMs: 0 });
});

import { expect, test } from '@jest/globals';
import { userId } from '../../shared/domain/index.ts';
import { endEvent } from '../chat/completion-harness.ts';
import { THREAD, threadHarness } from '../chat/thread-harness.ts';
import { fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { settingsHarness, ADMIN } from '../commands/settings-harness.ts';
import { FakeMessenger } from '../fakes/messenger.ts';
import { startJob } from '../../shared/video/propose-job.ts';
import { VideoHarness, videoRequest } from '../video/video-harness.ts';

const ASKER = { user: userId('U1'), workspace: THREAD.workspace, roles: [], locale: 'en', admin: false };

test('the turn, why and a private answer say how much of which kind was masked, and not what', async () => {
  const messenger = new FakeMessenger();
  const { say, set, queued, outcome, call } = threadHarness([], { messenger });
  await set('mask cards,emails');
  await say('1.1', 'U1', 'Is 4111111111111111 of ada@example.com? Or bo@example.com? 4111 1111 1111 1111');
  await queued();
  expect(await outcome('1.1')).toMatchObject({ masked: { card: 1, email: 2 } });
  const typed = async (text: string) => {
    await call(fakeInteraction(typedCommand(text), { id: text, by: ASKER, thread: THREAD }));
    return JSON.stringify(messenger.answers.at(-1)?.card);
  };
  expect(await typed('why')).toContain(
    '{"name":"Masked private data","value":"1 card number, 2 e-mail addresses"}',
  );
  expect(await typed('ask private:yes Who is ada@example.com?')).toContain(
    'Masked before it left: 1 e-mail address"',
  );
  expect(await typed('ask private:yes Who?')).not.toContain('Masked');
  await say('1.2', 'U1', 'And now?');
  await queued();
  expect(await outcome('1.2')).toMatchObject({ masked: { card: 1, email: 2 } });
});

test('the card of a filled form says it, also when the answer does not fit the form', async () => {
  const messenger = new FakeMessenger();
  const { set, call } = threadHarness([[endEvent('{"title":"Slow"}')]], { messenger });
  await set('mask emails');
  const typed = async (text: string) => {
    await call(fakeInteraction(typedCommand(text), { id: text, by: ASKER, thread: THREAD }));
    return JSON.stringify(messenger.answers.at(-1)?.card);
  };
  await typed(
    'schema save ticket {"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}',
  );
  const filled = await typed('ask schema:ticket It is slow for ada@example.com');
  expect(filled).toContain('Slow');
  expect(filled).toContain('Masked before it left: 1 e-mail address"');
  const unfit = await typed('ask schema:ticket And for bo@example.com and ada@example.com?');
  expect(unfit).toContain('Answer 3.');
  expect(unfit).toContain('Masked before it left: 2 e-mail addresses"');
});

test('the card of a video says it once the prompt was sent', async () => {
  const video = Object.assign(new VideoHarness(), {
    layers: { workspace: { values: { mask: ['emails' as const] } } },
  });
  await startJob(videoRequest({ prompt: 'A letter to ada@example.com' }), video.context());
  await video.serve();
  expect(JSON.stringify([...video.stage.cards.values()])).toContain(
    'Masked before it left: 1 e-mail address"',
  );
});

test('an administrator reads which kinds and patterns there are, and a channel cannot weaken a lock', async () => {
  const { type } = settingsHarness();
  expect(await type('settings mask cards,names for:workspace', ADMIN)).toContain('`cards`, `keys`, `emails`');
  expect(await type('settings maskPatterns ** for:workspace', ADMIN)).toContain('`#` is a digit');
  expect(await type('settings maskPatterns EMP-####; Project Falcon for:workspace', ADMIN)).toContain(
    'EMP-####; Project Falcon',
  );
  expect(await type('settings mask cards for:workspace lock:yes', ADMIN)).toContain('cards');
  expect(await type('settings mask media for:channel', ADMIN)).toMatch(/locked/iu);
  expect(await type('settings mask all for:me')).not.toContain('"all"');
});

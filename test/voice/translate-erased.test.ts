import { describe, expect, test } from '@jest/globals';
import {
  channelId,
  type Interaction,
  messageId,
  parseTranscriptionTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { ErasureMoments, TurnSignals } from '../../shared/storage/index.ts';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import { commandHarness, fakeInteraction } from '../commands/command-harness.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { INTERACTION, RECORDING, task, textOf, THREAD, voiceHarness } from './voice-harness.ts';

const ADA = userId('U1');
const GRACE = userId('U2');
const SHOW = { kind: 'show' as const };
const DELETED = 'The data of this recording was deleted. Send it again.';

/** A recording of Ada that is transcribed; a minute old, so that erasures can be between it and now. */
async function transcribed() {
  const harness = voiceHarness();
  const { context, delivery, dynamo, time, transcriptions } = harness;
  const message = messageId((time.now() / 1_000 - 60).toFixed(6));
  await runTranscriptionTask(task(SHOW, { message, asker: ADA }), context, delivery);
  transcriptions.splice(0);
  const statuses: string[] = [];
  const messenger = {
    ...context.messenger,
    showWorking: async (_: unknown, words: string) => void statuses.push(words),
  };
  const moments = new ErasureMoments({ dynamo, table: 'conversations' });
  const signals = new TurnSignals({ dynamo, table: 'conversations', days: 30, now: time.now });
  return { ...harness, context: { ...context, messenger }, message, moments, signals, statuses };
}

type World = Awaited<ReturnType<typeof transcribed>>;

/** The task that a click of Grace queues. */
async function clicked(name: string, { recordings, message, time }: World) {
  const queue = new FakeQueue();
  const { call } = commandHarness({ transcription: { queue, recordings } }, time);
  const click: Interaction = fakeInteraction(
    { kind: 'action', action: { name, args: [message, RECORDING.id] }, chosen: ['fr'] },
    { thread: THREAD, channel: channelId('C1'), by: { user: GRACE, workspace: THREAD.workspace, roles: [] } },
  );
  await call(click);
  const queued = parseTranscriptionTask(queue.sent[0]?.body ?? '');
  if (!queued) throw new Error('nothing was queued');
  return queued;
}

describe.each(['voice.translate', 'voice.speak'])('%s', (name) => {
  test('works for a person whose own data was erased since the recording', async () => {
    const world = await transcribed();
    const { platform, workspace } = THREAD;
    await world.moments.record({ platform, workspace, user: GRACE }, world.time.now());
    const queued = await clicked(name, world);
    await runTranscriptionTask(queued, world.context, world.delivery);
    expect(world.responses.map(textOf)).toEqual([expect.stringContaining('mot0 mot1 mot2')]);
  });

  test('works for an older recording of a workspace that was installed again', async () => {
    const world = await transcribed();
    const { platform, workspace } = THREAD;
    await world.moments.record({ platform, workspace }, world.time.now() - 1);
    const queued = await clicked(name, world);
    await runTranscriptionTask(queued, world.context, world.delivery);
    expect(world.responses.map(textOf)).toEqual([expect.stringContaining('mot0 mot1 mot2')]);
  });

  test('stores nothing if the speaker is erased while it waits; the person who asked is told', async () => {
    const world = await transcribed();
    const { context, delivery, recordings, dynamo, moments, statuses, transcriptions, fetched } = world;
    const queued = await clicked(name, world);
    const ref = { thread: THREAD, message: world.message, file: RECORDING.id };
    await recordings.remove(ref);
    await moments.record(
      { platform: THREAD.platform, workspace: THREAD.workspace, user: ADA },
      world.time.now(),
    );
    const before = dynamo.items('conversations');
    fetched.splice(0);
    expect(await runTranscriptionTask(queued, context, delivery)).toEqual({ kind: 'done' });
    expect([transcriptions, fetched]).toEqual([[], []]);
    expect(dynamo.items('conversations')).toEqual(before);
    expect(world.responses.map(textOf)).toEqual([DELETED]);
    expect(statuses).toEqual(['']);
  });

  test('of a message that is deleted while it waits tells the person who asked', async () => {
    const world = await transcribed();
    const queued = await clicked(name, world);
    await world.signals.rememberDeletion(THREAD, world.message);
    expect(await runTranscriptionTask(queued, world.context, world.delivery)).toEqual({ kind: 'done' });
    expect(world.transcriptions).toEqual([]);
    expect(world.responses.map(textOf)).toEqual([DELETED]);
    expect(world.statuses).toEqual(['']);
  });

  test('of a message that is deleted meanwhile tells the person who asked', async () => {
    const world = await transcribed();
    const queued = await clicked(name, world);
    const platform = {
      ...world.context.platform,
      downloadFile: async (...args: Parameters<typeof world.context.platform.downloadFile>) => {
        await world.signals.rememberDeletion(THREAD, world.message);
        return world.context.platform.downloadFile(...args);
      },
    };
    await runTranscriptionTask(queued, { ...world.context, platform }, world.delivery);
    expect(world.transcriptions).toEqual([]);
    expect(world.responses.map(textOf)).toEqual([DELETED]);
    expect(world.statuses.at(-1)).toBe('');
  });
});

test('a recording is not spoken if its speaker opts out before it is transcribed', async () => {
  const { context, delivery, set, fetched, responses } = voiceHarness();
  set.of = { U1: { person: { values: { voiceOptOut: true } } } };
  const request = { kind: 'translate' as const, to: 'fr', speak: true, interaction: INTERACTION };
  await runTranscriptionTask(task(request, { asker: ADA, by: GRACE }), context, delivery);
  expect(fetched).toEqual([]);
  expect(responses.map(textOf)).toEqual(['The person who recorded this does not want it transcribed.']);
});

describe('a request for a transcript', () => {
  const { platform, workspace } = THREAD;
  const OF_ADA = { platform, workspace, user: ADA };

  /** Grace asks for the transcript of a recording of Ada, sent a minute ago; then the worker runs what was queued. */
  async function requested(...erased: Parameters<ErasureMoments['record']>[0][]) {
    const world = voiceHarness();
    const { context, delivery, dynamo, time, recordings } = world;
    const erasureMoments = new ErasureMoments({ dynamo, table: 'conversations' });
    for (const subject of erased) await erasureMoments.record(subject, time.now() - 1);
    const queue = new FakeQueue();
    const { call, stage } = commandHarness({ transcription: { queue, recordings }, erasureMoments }, time);
    const id = messageId((time.now() / 1_000 - 60).toFixed(6));
    const message = { thread: THREAD, id, author: ADA, text: '', attachments: [RECORDING] };
    const by = { user: GRACE, workspace, roles: [] };
    await call(fakeInteraction({ kind: 'on-message', name: 'transcribe', message }, { thread: THREAD, by }));
    const queued = queue.sent.flatMap(({ body }) => parseTranscriptionTask(body) ?? []);
    for (const one of queued) await runTranscriptionTask(one, context, delivery);
    return { told: textOf(stage.answers.at(-1)?.card), queued, transcriptions: world.transcriptions };
  }

  test.each([
    ['its speaker', OF_ADA],
    ['its thread', { thread: THREAD }],
  ])('is refused if %s was erased after it: the worker would drop it', async (_, subject) => {
    const { told, queued } = await requested(subject);
    expect(told).toBe(DELETED);
    expect(queued).toEqual([]);
  });

  test('is accepted, and fulfilled, after the erasure of others and a reinstallation', async () => {
    const { told, transcriptions } = await requested(
      { ...OF_ADA, user: GRACE },
      { ...OF_ADA, workspace: workspaceId('T2') },
      { platform, workspace },
    );
    expect(told).toBe('Transcribing: the words appear below the message.');
    expect(transcriptions).toHaveLength(3);
  });
});

import { describe, expect, test } from '@jest/globals';
import { messageId, parseHearTask, userId } from '../../shared/conversation/index.ts';
import { DEFAULTS } from '../../shared/flows/index.ts';
import { voiceTools } from '../../shared/flows/voice-tools.ts';
import { Recordings } from '../../shared/store/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { keptIn } from '../fakes/kept.ts';
import { KeptQueue, KeptStage } from '../fakes/stage.ts';
import { platform, TURN } from './rig.ts';

const CLIP = { id: 'F1', name: 'clip.m4a', mimetype: 'audio/mp4', bytes: 1_000 };
const IN_THREAD = { ...TURN, message: messageId('2.2') };

/** What the model may do, in a thread that hangs on a message of U2 with these files. */
function rig(attachments = [CLIP]) {
  const queue = new KeptQueue();
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', days: 30, now: () => 1_000 };
  const { thread } = TURN;
  const root = { thread, id: thread.root, author: userId('U2'), text: '', attachments };
  const deps = {
    hearing: { queue, recordings: new Recordings(store) },
    settings: DEFAULTS,
    choices: keptIn(store).choices,
    stage: new KeptStage(),
    platform: { ...platform(), message: () => Promise.resolve(root) },
  };
  const run = (args: Readonly<Record<string, unknown>>) =>
    voiceTools(IN_THREAD, false, deps)[0]?.prepare(args, 'en').run(new AbortController().signal);
  return { deps, queue, run };
}

describe('a recording that a thread hangs on', () => {
  test('is written out in the name of who asked, in the language the model names', async () => {
    const { queue, run } = rig();
    expect((await run({ translate_to: 'de' }))?.content).toContain('being written out');
    expect(parseHearTask(queue.sent[0]?.body ?? '')).toMatchObject({
      message: TURN.thread.root,
      asker: 'U2',
      by: 'U1',
      recordings: [{ id: 'F1' }],
      wish: { kind: 'show', to: 'de' },
    });
  });

  test('is no tool where the thread began with a question, and none for the question itself', () => {
    const { deps } = rig();
    expect(voiceTools(IN_THREAD, true, deps)).toEqual([]);
    expect(voiceTools(TURN, false, deps)).toEqual([]);
  });

  test('that is none, and a language that is none, are told to the model', async () => {
    const { queue, run } = rig([{ ...CLIP, name: 'a.txt', mimetype: 'text/plain' }]);
    await expect(run({})).rejects.toThrow('no recording');
    expect(() => run({ translate_to: 'Klingon' })).toThrow('has to be one of');
    expect(queue.sent).toEqual([]);
  });
});

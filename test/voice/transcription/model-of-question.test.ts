import { expect, test } from '@jest/globals';
import { runTranscriptionTask } from '../../../shared/voice/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { task, voiceHarness } from '../voice-harness.ts';

const ASK = { kind: 'ask' as const, question: 'And this?', attachments: [], receivedAt: 5 };
const modelFacts = async (model: string | undefined) => ({
  ...(await streamsOnly.modelFacts(model)),
  audio: model === 'model-b',
});

test('a recorded question returns with the model and language of its person, and with the recording if that model accepts it', async () => {
  const { context, delivery, tasks } = voiceHarness();
  const withFacts = { ...context, chat: { ...context.chat, modelFacts } };
  await runTranscriptionTask(task({ ...ASK, model: 'model-b', locale: 'de' }), withFacts, delivery);
  await runTranscriptionTask(task(ASK), withFacts, delivery);
  expect(tasks.map(({ body }) => body)).toMatchObject([
    { model: 'model-b', locale: 'de', attachments: [{ id: 'F1', isTranscribed: true }] },
    { attachments: [] },
  ]);
  // Nobody waits for a response to a message.
  expect(tasks[1]?.body).not.toHaveProperty('locale');
});

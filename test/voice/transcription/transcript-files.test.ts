import { expect, test } from '@jest/globals';
import { listCardFiles } from '../../../shared/domain/index.ts';
import { runTranscriptionTask, type VoiceContext } from '../../../shared/voice/index.ts';
import { task, voiceHarness } from '../voice-harness.ts';

const SHOW = { kind: 'show' as const };

test('a long recording has its translation as a file too', async () => {
  const { context, delivery, cards } = voiceHarness({ F1: { chunks: 12 } });
  await runTranscriptionTask(task({ kind: 'show', to: 'fr' }), context, delivery);
  const file = listCardFiles(cards.at(-1)?.card ?? { parts: [] }).find(
    ({ name }) => name === 'audio-transcript-fr.txt',
  );
  const lines = new TextDecoder().decode(file?.content).split('\n');
  expect(lines.slice(0, 2)).toEqual(['[0:00] mot0', '[0:20] mot1']);
  expect(lines.at(-2)).toBe('[3:40] mot11');
});

test('a short recording has files too, if its card shows only the beginning', async () => {
  const { context, delivery, cards } = voiceHarness();
  await runTranscriptionTask(task(SHOW), context, delivery);
  expect(listCardFiles(cards.at(-1)?.card ?? { parts: [] })).toEqual([]);
  expect(JSON.stringify(cards.at(-1))).toContain('voice.subtitles');
  const fast = voiceHarness();
  const { transcriptionClient } = fast.context;
  const talkative: VoiceContext['transcriptionClient'] = {
    transcribe: async (wav, options) => ({
      ...(await transcriptionClient.transcribe(wav, options)),
      text: 'word '.repeat(200),
      words: [],
    }),
  };
  await runTranscriptionTask(task(SHOW), { ...fast.context, transcriptionClient: talkative }, fast.delivery);
  const files = listCardFiles(fast.cards.at(-1)?.card ?? { parts: [] });
  expect(files.map(({ name }) => name)).toEqual([
    'audio-transcript.txt',
    'audio-transcript.vtt',
    'audio-transcript.srt',
  ]);
  expect(new TextDecoder().decode(files[0]?.content).match(/word/gu)).toHaveLength(600);
  expect(JSON.stringify(fast.cards.at(-1))).not.toContain('voice.subtitles');
});

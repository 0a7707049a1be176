import { expect, test } from '@jest/globals';
import { isRecording, splitRecordings, recordingKey } from '../../shared/domain/index.ts';
import { getMediaHint } from '../../shared/documents/index.ts';

const file = (id: string, mimetype: string) => ({ id, name: 'f', mimetype, bytes: 1 });
const voice = (ex: string) => file(`https://cdn.discordapp.com/attachments/1/22/f.ogg?ex=${ex}`, 'audio/ogg');

test.each([
  ['a Slack clip without a type', 'Audioclip von Ada.m4a', ''],
  ['an audio clip that Slack calls a video', 'audio_message.m4a', 'video/mp4'],
  ['a Discord voice message', 'voice-message.ogg', 'audio/ogg'],
  ['a type with a codec', 'message audio (1).webm', 'audio/webm;codecs=opus'],
  ['a name in another script', '音声クリップ.M4A', ''],
  ['a video', 'IMG_0042.MOV', 'video/quicktime'],
  ['a voice message of WhatsApp', 'PTT-20261128-WA0003.opus', 'application/octet-stream'],
  ['an Ogg file', 'talk.ogg', 'application/ogg'],
  ['a recording of an old phone', 'memo.amr', 'application/octet-stream'],
  ['an MP3 whose type is wrong', 'talk.mp3', 'text/plain'],
  ['a video whose type is unknown', 'talk.mkv', ''],
])('%s is a recording', (_, name, mimetype) => {
  expect(isRecording({ name, mimetype })).toBe(true);
});

test.each([
  ['an image that is named like a song', 'song.mp3', 'image/png'],
  ['a text file without a type', 'notes.txt', ''],
  ['a file of an unknown type', 'backup.bin', 'application/octet-stream'],
  ['a file without metadata', '', ''],
  ['a source file of TypeScript in Discord', 'index.ts', 'video/MP2T; charset=utf-8'],
])('%s is not a recording', (_, name, mimetype) => {
  expect(isRecording({ name, mimetype })).toBe(false);
});

test('the files that are recordings are those that a question does not read', () => {
  const extensions =
    'aac aif aiff amr avi bin flac m4a m4v mkv mov mp3 mp4 oga ogg opus pdf png ts txt wav webm';
  const types = [
    '',
    'application/octet-stream',
    'application/ogg',
    'audio/x',
    'Audio/X',
    'image/png',
    'text/plain',
    'video/MP2T',
    'video/x',
  ];
  for (const name of extensions.split(' ').map((extension) => `f.${extension}`))
    for (const mimetype of types)
      expect([name, mimetype, isRecording({ name, mimetype })]).toEqual([
        name,
        mimetype,
        getMediaHint({ name, mimetype }) !== undefined,
      ]);
});

test('a recording has a key that stays the same when its URL changes', () => {
  const { recordings, others } = splitRecordings({
    attachments: [voice('a'), file('F1', 'video/mp4'), file('F2', 'image/png')],
  });
  expect([recordings.map(recordingKey), others.map(({ id }) => id)]).toEqual([['22', 'F1'], ['F2']]);
  expect(recordingKey(voice('b'))).toBe('22');
});

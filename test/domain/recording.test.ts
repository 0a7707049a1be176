import { expect, test } from '@jest/globals';
import { isRecording, partRecordings, recordingName } from '../../shared/domain/index.ts';

const file = (id: string, mimetype: string) => ({ id, name: 'f', mimetype, bytes: 1 });
const voice = (ex: string) => file(`https://cdn.discordapp.com/attachments/1/22/f.ogg?ex=${ex}`, 'audio/ogg');

test.each([
  ['a clip of Slack’s, whose type is empty', 'Audioclip von Ada.m4a', ''],
  ['a clip of sound that Slack calls a video', 'audio_message.m4a', 'video/mp4'],
  ['a voice message of Discord’s', 'voice-message.ogg', 'audio/ogg'],
  ['a type with its codec', 'message audio (1).webm', 'audio/webm;codecs=opus'],
  ['a name in another script', '音声クリップ.M4A', ''],
  ['a film', 'IMG_0042.MOV', 'video/quicktime'],
])('%s is a recording', (_, name, mimetype) => {
  expect(isRecording({ name, mimetype })).toBe(true);
});

test.each([
  ['a picture called a song', 'song.mp3', 'image/png'],
  ['a text without a type', 'notes.txt', ''],
  ['nothing known', '', ''],
])('%s is none', (_, name, mimetype) => {
  expect(isRecording({ name, mimetype })).toBe(false);
});

test('of a message’s files each recording counts, and is remembered by a name that stays when its address runs out', () => {
  const { recordings, others } = partRecordings({
    attachments: [voice('a'), file('F1', 'video/mp4'), file('F2', 'image/png')],
  });
  expect([recordings.map(recordingName), others.map(({ id }) => id)]).toEqual([['22', 'F1'], ['F2']]);
  expect(recordingName(voice('b'))).toBe('22');
});

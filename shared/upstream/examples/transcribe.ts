/** Transcribes a WAV file, and translates it if a language is given: `node transcribe.ts --base … --key … talk.wav french` */
import { readFile } from 'node:fs/promises';
import { createFromCommandLine } from './client.ts';

const { upstream, words } = createFromCommandLine();
const [file, to] = words;
if (file === undefined) throw new Error('Name a WAV file.');
const audio = await readFile(file);
const transcript =
  to === undefined
    ? await upstream.speech.transcribe({ audio })
    : await upstream.speech.translate({ audio, to });
process.stdout.write(`${transcript.text}\n`);
if (transcript.translation !== undefined) process.stdout.write(`${transcript.translation}\n`);
for (const { start, end, text } of transcript.words)
  process.stdout.write(`${start.toFixed(2)}-${end.toFixed(2)} ${text}\n`);
await upstream.close();

/** Writes a WAV file out, translated if a language is named: `node transcribe.ts --base … --key … talk.wav french` */
import { readFile } from 'node:fs/promises';
import { fromCommandLine } from './client.ts';

const { upstream, words } = fromCommandLine();
const [file, to] = words;
if (file === undefined) throw new Error('Name a WAV file.');
const audio = await readFile(file);
const heard =
  to === undefined
    ? await upstream.speech.transcribe({ audio })
    : await upstream.speech.translate({ audio, to });
process.stdout.write(`${heard.text}\n`);
if (heard.translation !== undefined) process.stdout.write(`${heard.translation}\n`);
for (const { start, end, text } of heard.words)
  process.stdout.write(`${start.toFixed(2)}-${end.toFixed(2)} ${text}\n`);
await upstream.close();

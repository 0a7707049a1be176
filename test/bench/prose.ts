import { createSeededRandom } from '../faults/seeded-random.ts';

const WORDS =
  'the a of to in and that it is was for on are with as be this have from or had by not but what some we can out other were all there when up use your how said an each she which do their time if will way about many then them write would like so these her long make thing see him two has look more day could go come did number sound no most people my over know water than call first who may down side been now find any new work part take get place made live where after back little only round man year came show every good me give our under name very through just form sentence great think say help low line differ turn cause much mean before move right boy old too same tell does set three want air well also play small end put home read hand port large spell add even land here must big high such follow act why ask men change went light kind off need house picture try us again animal point mother world near build self earth father'.split(
    ' ',
  );

/** Random English words, exactly `bytes` long, which compress no better than people's prose. */
export function prose(bytes: number, seed: number): string {
  const random = createSeededRandom(seed);
  let text = '';
  while (text.length < bytes)
    text += `${WORDS[Math.floor(random() * WORDS.length)] ?? ''}${random() < 0.1 ? '. ' : ' '}`;
  return text.slice(0, bytes);
}

import { say } from '../../texts/index.ts';
import { writeOut } from '../write-out.ts';
import { type Called, type Run, tell, words } from './run.ts';
import { type MessageCommandSpec, type OnMessageTexts } from './spec.ts';

export const onMessage = {
  name: 'transcribe',
  label: 'Transcribe',
} as const satisfies MessageCommandSpec;

/** Has the recordings of a message written out under it; those that are already, are linked to. */
export const runOnMessage: Run<Called<'on-message'>> = async (called, deps) => {
  const { locale, call, invocation } = called;
  const { message } = call;
  const outcome = await writeOut({ message, by: invocation.by, key: `call#${invocation.id}`, locale }, deps);
  switch (outcome.kind) {
    case 'refused':
      return tell(called, words(outcome.sentence, 'bad'), deps);
    case 'known':
      return tell(called, words(say(locale, 'voice.already', { link: outcome.link })), deps);
    case 'queued':
      return tell(called, words(say(locale, 'voice.queued')), deps);
  }
};

export const texts = {
  onMessage: {
    en: 'Transcribe',
    de: 'Verschriften',
    fr: 'Transcrire',
    es: 'Transcribir',
    pt: 'Transcrever',
    ja: '文字にする',
    ko: '글로 옮기기',
    zh: '转成文字',
  },
} satisfies OnMessageTexts;

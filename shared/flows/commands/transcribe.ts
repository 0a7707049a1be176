import { say } from '../../texts/index.ts';
import { writeOut } from '../write-out.ts';
import { type Called, type Run, tell, words } from './run.ts';
import { BOTH, type MessageCommandSpec } from './spec.ts';

export const spec: MessageCommandSpec = {
  name: 'transcribe',
  label: 'Transcribe',
  text: 'voice.transcribe.label',
  platforms: BOTH,
};

/** Has the recordings of a message written out under it; those that are already, are linked to. */
export const run: Run<Called<'on-message'>> = async (called, deps) => {
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

import { resolve } from '../../settings/index.ts';
import { say } from '../../texts/index.ts';
import { typedAs } from '../typed-as.ts';
import { languageCode, languageIn } from '../voice/languages.ts';
import { makeChange } from './change.ts';
import { type CalledCommand, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'voice',
  platforms: BOTH,
  about: 'voice.command.about',
  options: [
    {
      name: 'do',
      kind: 'text',
      choices: ['on', 'auto', 'off', 'optout', 'optin', 'language'],
    },
    { name: 'language', kind: 'text', most: 35 },
  ],
};

const POLICIES = { on: 'request', auto: 'automatic', off: 'off' } as const;
type Policy = (typeof POLICIES)[keyof typeof POLICIES];

/** Says when recordings are written out in a channel, or changes that; and what a person wants of their own. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { locale, options, invocation } = called;
  const wanted = String(options['do'] ?? '');
  const set = (level: 'channel' | 'person', setting: string, value: unknown) =>
    makeChange(called, deps, { kind: 'value', level, setting, value });
  switch (wanted) {
    case 'on':
    case 'auto':
    case 'off': {
      const policy = POLICIES[wanted];
      const no = await set('channel', 'voice', policy);
      return tell(called, no ?? words(say(locale, `voice.policy.${policy}`)), deps);
    }
    case 'optout':
    case 'optin': {
      const no = await set('person', 'voiceOptOut', wanted === 'optout');
      const command = typedAs(invocation.platform, 'voice optin', deps.settings);
      const said = wanted === 'optout' ? say(locale, 'voice.opted-out', { command }) : undefined;
      return tell(called, no ?? words(said ?? say(locale, 'voice.opted-in')), deps);
    }
    case 'language': {
      const language = languageCode(String(options['language'] ?? 'auto'));
      const no = await set('person', 'voiceLanguage', language);
      const name = language === 'auto' ? language : languageIn(locale, language);
      return tell(called, no ?? words(say(locale, 'voice.language-set', { language: name })), deps);
    }
    default: {
      const policy: Policy = resolve('voice', deps.settings.layers).value ?? 'request';
      return tell(called, words(say(locale, `voice.policy.${policy}`)), deps);
    }
  }
};

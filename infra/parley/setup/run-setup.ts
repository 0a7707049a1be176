import { tryOut, type LocalPlace } from './ask-step.ts';
import { setUpDiscord } from './discord-step.ts';
import { setUpModels } from './model-step.ts';
import type { Question } from './question.ts';
import { SetupSession, type SessionOptions } from './session.ts';
import { setUpSlack } from './slack-step.ts';

const PLATFORMS_QUESTION: Question = {
  id: 'platforms',
  kind: 'choices',
  message: 'Which platforms should be connected? The others are simulated',
  choices: [
    { value: 'slack', label: 'Slack' },
    { value: 'discord', label: 'Discord' },
  ],
  isOptional: true,
};

/** Sets Parley up on this machine. Rejects with SetupError when it cannot continue; the next run continues. */
export async function runSetup(options: SessionOptions, place: LocalPlace): Promise<void> {
  const session = new SetupSession(options);
  const { say } = options;
  if (session.isResumed) say('Continuing the set-up that was interrupted.');
  const platforms = (await session.ask(PLATFORMS_QUESTION)).split(',');
  const hasModels = await setUpModels(session);
  if (platforms.includes('slack')) await setUpSlack(session);
  if (platforms.includes('discord')) await setUpDiscord(session);
  await tryOut(session, platforms, place);
  session.finish();
  say(`Done: ${options.envFile} has the settings. "npm start" starts Parley, "npx parley doctor" checks it.`);
  if (!hasModels) say('The models are simulated.');
}

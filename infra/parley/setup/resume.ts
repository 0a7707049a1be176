import type { Question } from './question.ts';
import type { SetupSession } from './session.ts';

const CONTINUE = 'continue';
const BEGIN_AGAIN = 'again';

/**
 * Asks a person whether to continue the set-up that was interrupted. Otherwise its answers are forgotten, and what it created stays known. With an answers
 * file there is nothing to ask: the file alone answers.
 */
export async function askToContinue(session: SetupSession): Promise<void> {
  const { prompter, say } = session.options;
  if (!session.isResumed || !prompter.isInteractive) return;
  const answers = describeAnswers(session.answers);
  const question: Question = {
    id: 'resume',
    kind: 'choice',
    message: `A set-up was interrupted${answers && ` (${answers})`}. Continue it?`,
    choices: [
      { value: CONTINUE, label: 'Continue' },
      { value: BEGIN_AGAIN, label: 'Begin again with the first question' },
    ],
    initial: CONTINUE,
    isOptional: true,
  };
  if ((await prompter.ask(question)) === BEGIN_AGAIN) session.beginAgain();
  else say('Continuing the set-up that was interrupted.');
}

/** Says what was answered, so that a person sees whether it is still right. Empty if nothing was. */
function describeAnswers(answers: Readonly<Record<string, string>>): string {
  const { target, platforms, 'aws.stage': stage, 'models.url': models } = answers;
  const names = { slack: 'Slack', discord: 'Discord' };
  return [
    target !== undefined && (target === 'aws' ? 'in your AWS account' : 'on this machine'),
    stage && `stage ${stage}`,
    platforms === ''
      ? 'no platform'
      : platforms
          ?.split(',')
          .map((name) => (name === 'slack' || name === 'discord' ? names[name] : name))
          .join(' and '),
    models === '' ? 'simulated models' : models && `models at ${models}`,
  ]
    .filter(Boolean)
    .join(', ');
}

import * as v from 'valibot';
import { findAnswerProblem, type Prompter, SetupError } from './question.ts';

/** An answers file: values by the id of the question. */
const answersSchema = v.record(v.string(), v.union([v.string(), v.array(v.string())]));
export type Answers = v.InferOutput<typeof answersSchema>;

/** A value that is in an environment variable, so that a file needs no secret. */
const VARIABLE = /^env:([A-Z][A-Z0-9_]*)$/;

/** Parses an answers file. Throws SetupError. */
export function parseAnswers(text: string, file: string): Answers {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new SetupError(`${file} is not JSON.`);
  }
  const parsed = v.safeParse(answersSchema, json);
  if (!parsed.success)
    throw new SetupError(`${file} must be an object with texts, such as {"platforms": ["slack"]}.`);
  return parsed.output;
}

/**
 * Answers from a file. A question that it does not answer gets its initial answer, or an empty one if that is allowed. Rejects
 * with SetupError for a missing or malformed answer.
 */
export function createAnswersPrompter(
  answers: Answers,
  env: Readonly<Record<string, string | undefined>>,
): Prompter {
  return {
    isInteractive: false,
    async ask(question) {
      const { id, initial = '' } = question;
      const value = answers[id];
      const text = value === undefined ? initial : typeof value === 'string' ? value : value.join(',');
      const variable = VARIABLE.exec(text)?.[1];
      const answer = variable === undefined ? text : env[variable];
      if (answer === undefined)
        throw new SetupError(`The answer "${id}" is in the variable ${variable}, which is not set.`);
      const problem = findAnswerProblem(question, answer);
      if (problem !== undefined) throw new SetupError(`The answer "${id}" is wrong: ${problem}.`);
      return answer;
    },
  };
}

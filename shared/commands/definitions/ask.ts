import type { CommandsContext } from '../context.ts';
import { intakeWithin, acceptQuestion } from '../../intake/index.ts';
import { isSilent } from '../../settings/rules/index.ts';
import { findModelRefusal } from '../../chat/index.ts';
import type { TaskResult } from '../../domain/index.ts';
import { CannotPostError } from '../../platforms/ports/index.ts';
import { localize, askLabel, modelLabel, privatelyLabel, schemaLabel } from '../../i18n/index.ts';
import { runModelRequest } from '../framework/run-model-request.ts';
import { fillForm } from './parts/fill-form.ts';
import { createCannotPostCard } from '../framework/cannot-post-card.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  DONE,
  type CommandHandler,
  replyCard,
  textCard,
} from '../framework/types.ts';
import { type CommandSpec, MAX_OPTION_LENGTH, type TextsOf } from '../framework/command-spec.ts';

export const spec = {
  name: 'ask',
  answers: 'public',
  options: [
    {
      name: 'question',
      kind: 'text',
      required: true,
      max: MAX_OPTION_LENGTH,
      rest: true,
    },
    { name: 'private', kind: 'yes-no' },
    { name: 'model', kind: 'text', max: 100, suggests: 'model' },
    { name: 'schema', kind: 'text', max: 60, suggests: 'schema' },
    { name: 'attachment', kind: 'attachment', types: [] },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = { attachment: { onlyWith: { schema: 'absent' } } };

export const helpOrder = 1;

/** Asks publicly, in a new thread with history; ephemerally, without storing anything; or for an answer in a JSON schema. */
export const run: CommandHandler<CommandRequest> = async (request, context, delivery) => {
  const { schema, private: secret } = request.options;
  const [question, model] = [String(request.options['question']), getModel(request)];
  const silence = replyIfSilent(request, context);
  if (silence) return silence;
  const { locale, interaction } = request;
  const reader = { locale, platform: interaction.platform };
  const refusal = model === undefined ? undefined : await findModelRefusal(model, reader, context);
  if (refusal !== undefined) return replyCard(request, textCard(refusal, 'bad'), context);
  if (schema !== undefined)
    return fillForm(request, context, delivery, { question, model, name: String(schema) });
  return secret === true
    ? runModelRequest(request, context, delivery, question, model)
    : askPublicly(request, context, question, { attachments: request.payload.attachments, model });
};

/** Refuses a question where the bot is silent: nothing is posted, and no model is asked. Undefined elsewhere. */
export function replyIfSilent(
  request: InteractionRequest,
  context: CommandsContext,
): Promise<TaskResult> | undefined {
  if (!isSilent(context.settings.layers)) return undefined;
  return replyCard(request, textCard(localize(request.locale, 'settings.refused.silent'), 'bad'), context);
}

function getModel({ options }: CommandRequest): string | undefined {
  return options['model'] === undefined ? undefined : String(options['model']);
}

/** Starts a thread with a public question. */
export async function askPublicly(
  request: InteractionRequest,
  context: CommandsContext,
  question: string,
  {
    attachments = [],
    model,
  }: {
    readonly attachments?: CommandRequest['payload']['attachments'];
    readonly model?: string | undefined;
  } = {},
): Promise<TaskResult> {
  const { interaction } = request;
  try {
    const turn = await context.messenger.startThread(interaction, {
      ...textCard(question),
      by: interaction.by.user,
    });
    const { thread, message: id, asker: author, askerWorkspace: authorWorkspace } = turn;
    const message = { thread, id, author, authorWorkspace, text: question, attachments };
    // Queued in the new thread, so that later messages there wait for the answer.
    await acceptQuestion(
      { ...message, addressed: 'mention' },
      intakeWithin(context),
      model === undefined ? {} : { model },
    );
    return DONE;
  } catch (error) {
    if (!(error instanceof CannotPostError)) throw error;
    return replyCard(request, createCannotPostCard(request, error), context);
  }
}

export const texts = {
  name: askLabel,
  about: {
    en: 'Ask a question',
    de: 'Eine Frage stellen',
    fr: 'Poser une question',
    es: 'Hacer una pregunta',
    pt: 'Fazer uma pergunta',
    ja: '質問する',
    ko: '질문하기',
    zh: '提一个问题',
  },
  'question.name': {
    en: 'question',
    de: 'frage',
    fr: 'question',
    es: 'pregunta',
    pt: 'pergunta',
    ja: '質問',
    ko: '질문',
    zh: '问题',
  },
  'question.about': {
    en: 'Your question',
    de: 'Deine Frage',
    fr: 'Votre question',
    es: 'Tu pregunta',
    pt: 'Sua pergunta',
    ja: '質問',
    ko: '질문',
    zh: '你的问题',
  },
  'private.name': privatelyLabel,
  'private.about': {
    en: 'Only you see the answer',
    de: 'Nur du siehst die Antwort',
    fr: 'Réponse visible uniquement par vous',
    es: 'Solo tú ves la respuesta',
    pt: 'Só você vê a resposta',
    ja: '回答は自分だけに表示',
    ko: '답변을 본인만 보기',
    zh: '只有你看得到回答',
  },
  'model.name': modelLabel,
  'model.about': {
    en: 'Model to ask',
    de: 'Modell, das gefragt wird',
    fr: 'Modèle à interroger',
    es: 'Modelo al que preguntar',
    pt: 'Modelo a consultar',
    ja: '質問するモデル',
    ko: '질문할 모델',
    zh: '要提问的模型',
  },
  'schema.name': schemaLabel,
  'schema.about': {
    en: 'A saved form that the answer fills in; only you see it first',
    de: 'Ein gespeichertes Formular, das die Antwort ausfüllt; zuerst siehst nur du es',
    fr: 'Un formulaire enregistré que la réponse remplit ; d’abord visible uniquement par vous',
    es: 'Un formulario guardado que rellena la respuesta; primero solo tú lo ves',
    pt: 'Um formulário salvo que a resposta preenche; primeiro só você o vê',
    ja: '回答で記入する保存済みのフォーム（最初はあなただけに表示）',
    ko: '답변이 채울 저장된 양식. 처음에는 본인만 봅니다',
    zh: '由回答填写的已保存表单；起初只有你能看到',
  },
  'attachment.name': {
    en: 'attachment',
    de: 'anhang',
    fr: 'fichier',
    es: 'adjunto',
    pt: 'anexo',
    ja: '添付',
    ko: '첨부',
    zh: '附件',
  },
  'attachment.about': {
    en: 'File to ask about',
    de: 'Datei, um die es in der Frage geht',
    fr: 'Fichier sur lequel porte la question',
    es: 'Archivo sobre el que preguntar',
    pt: 'Arquivo sobre o qual perguntar',
    ja: '質問の対象となるファイル',
    ko: '질문할 파일',
    zh: '要提问的文件',
  },
} satisfies TextsOf<typeof spec>;

import { MAX_SCHEMA_LENGTH } from '../../settings/rules/index.ts';
import {
  localize,
  formatOption,
  formatCommand,
  getCommandFormat,
  actionLabel,
  askLabel,
  listLabel,
  nameLabel,
  removeLabel,
  saveLabel,
  schemaLabel,
  showLabel,
  textLabel,
  whatToDoLabel,
} from '../../i18n/index.ts';
import { findSchemaProblem, MAX_FIELDS } from '../forms/form-schema.ts';
import {
  savePresetFromForm,
  runPresetCommand,
  type PresetCommand,
  getSaveFormAction,
} from './parts/presets.ts';
import { onAction as actFilled } from './parts/fill-form.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import type { InteractionRequest, CommandRequest, CommandHandler } from '../framework/types.ts';
import type { CommandSpec, FindOpeningAction, TextsOf } from '../framework/command-spec.ts';

/** Opens the modal that saves a new one. */
export const opens: FindOpeningAction = (options) => getSaveFormAction('schema', options);

export const spec = {
  name: 'schema',
  options: [
    { name: 'do', kind: 'text', choices: ['list', 'show', 'save', 'remove'] },
    { name: 'name', kind: 'text', max: 60, suggests: 'schema' },
    { name: 'text', kind: 'text', max: MAX_SCHEMA_LENGTH, rest: true },
  ],
  opens,
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  do: { default: 'list' },
  name: { onlyWith: { do: ['show', 'save', 'remove'] }, requiredWith: { do: ['show', 'remove'] } },
  text: { onlyWith: { do: ['save'] } },
};

const SCHEMA: PresetCommand = {
  kind: 'schema',
  saveLabel: () => texts['do=save'],
  formatText: (text) => ['```', text, '```'].join('\n'),
  findTextError: (text, { locale }, { readAs }) => {
    const fault = findSchemaProblem(text, readAs);
    return (
      fault && localize(locale, `saved.schema.${fault.why}`, { most: MAX_FIELDS, why: fault.details ?? '' })
    );
  },
  createListControls: () => [],
  createUsageParts: ({ locale, interaction }, { name }, { settings }) => {
    const where = getCommandFormat(interaction);
    const command = formatCommand(askLabel, where, settings, formatOption(schemaLabel, name, where), '…');
    return [{ kind: 'note', markdown: localize(locale, 'saved.schema.how', { command }) }];
  },
};

export const run: CommandHandler<CommandRequest> = (request, context) =>
  runPresetCommand(SCHEMA, request, context);

/** Handles the modal that saves a schema, and the buttons and modals of filled forms. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = (request, context, delivery) =>
  request.payload.action.name === 'schema.save'
    ? savePresetFromForm(SCHEMA, request, context)
    : actFilled(request, context, delivery);

export const texts = {
  name: schemaLabel,
  about: {
    en: 'Save forms that answers fill in',
    de: 'Formulare speichern, die Antworten ausfüllen',
    fr: 'Enregistrer des formulaires que les réponses remplissent',
    es: 'Guardar formularios que rellenan las respuestas',
    pt: 'Salvar formulários que as respostas preenchem',
    ja: '回答で記入するフォームの保存',
    ko: '답변이 채울 양식 저장',
    zh: '保存由回答填写的表单',
  },
  'do.name': actionLabel,
  'do.about': whatToDoLabel,
  'do=list': listLabel,
  'do=show': showLabel,
  'do=save': saveLabel,
  'do=remove': removeLabel,
  'name.name': nameLabel,
  'name.about': {
    en: 'Its name',
    de: 'Name des Formulars',
    fr: 'Nom du formulaire',
    es: 'Nombre del formulario',
    pt: 'Nome do formulário',
    ja: '名前',
    ko: '이름',
    zh: '名称',
  },
  'text.name': textLabel,
  'text.about': {
    en: 'A JSON Schema of an object',
    de: 'Ein JSON-Schema eines Objekts',
    fr: 'Un JSON Schema d’un objet',
    es: 'Un JSON Schema de un objeto',
    pt: 'Um JSON Schema de um objeto',
    ja: 'オブジェクトの JSON Schema',
    ko: '객체의 JSON Schema',
    zh: '对象的 JSON Schema',
  },
} satisfies TextsOf<typeof spec>;

import type { LocalizedText } from '../locale.ts';

// Labels that several commands share. One constant each, so that unused ones are removed from the fronts' bundles.

export const actionLabel: LocalizedText = {
  en: 'do',
  de: 'aktion',
  fr: 'action',
  es: 'acción',
  pt: 'ação',
  ja: '操作',
  ko: '작업',
  zh: '操作',
};
export const askLabel: LocalizedText = {
  en: 'ask',
  de: 'fragen',
  fr: 'demander',
  es: 'preguntar',
  pt: 'perguntar',
  ja: '質問',
  ko: '질문',
  zh: '提问',
};
export const forgetLabel: LocalizedText = {
  en: 'forget',
  de: 'vergessen',
  fr: 'oublier',
  es: 'olvidar',
  pt: 'esquecer',
  ja: '忘れる',
  ko: '잊기',
  zh: '忘记',
};
export const toolsLabel: LocalizedText = {
  en: 'tools',
  de: 'tools',
  fr: 'outils',
  es: 'herramientas',
  pt: 'ferramentas',
  ja: 'ツール',
  ko: '도구',
  zh: '工具',
};
export const knowledgeLabel: LocalizedText = {
  en: 'knowledge',
  de: 'wissen',
  fr: 'connaissances',
  es: 'conocimiento',
  pt: 'conhecimento',
  ja: 'ナレッジ',
  ko: '지식',
  zh: '知识',
};
export const integrationsLabel: LocalizedText = {
  en: 'integrations',
  de: 'integrationen',
  fr: 'intégrations',
  es: 'integraciones',
  pt: 'integrações',
  ja: '連携',
  ko: '연동',
  zh: '集成',
};
export const keyLabel: LocalizedText = {
  en: 'key',
  de: 'schlüssel',
  fr: 'clé',
  es: 'clave',
  pt: 'chave',
  ja: 'キー',
  ko: '키',
  zh: '密钥',
};
export const settingsLabel: LocalizedText = {
  en: 'settings',
  de: 'einstellungen',
  fr: 'réglages',
  es: 'ajustes',
  pt: 'configurações',
  ja: '設定',
  ko: '설정',
  zh: '设置',
};
export const valueLabel: LocalizedText = {
  en: 'value',
  de: 'wert',
  fr: 'valeur',
  es: 'valor',
  pt: 'valor',
  ja: '値',
  ko: '값',
  zh: '值',
};
export const forWhomLabel: LocalizedText = {
  en: 'for',
  de: 'für',
  fr: 'pour',
  es: 'para',
  pt: 'para',
  ja: '対象',
  ko: '대상',
  zh: '范围',
};
export const modelLabel: LocalizedText = {
  en: 'model',
  de: 'modell',
  fr: 'modèle',
  es: 'modelo',
  pt: 'modelo',
  ja: 'モデル',
  ko: '모델',
  zh: '模型',
};
export const nameLabel: LocalizedText = {
  en: 'name',
  de: 'name',
  fr: 'nom',
  es: 'nombre',
  pt: 'nome',
  ja: '名前',
  ko: '이름',
  zh: '名称',
};
export const schemaLabel: LocalizedText = {
  en: 'schema',
  de: 'formular',
  fr: 'formulaire',
  es: 'formulario',
  pt: 'formulário',
  ja: 'フォーム',
  ko: '양식',
  zh: '表单',
};
export const textLabel: LocalizedText = {
  en: 'text',
  de: 'text',
  fr: 'texte',
  es: 'texto',
  pt: 'texto',
  ja: '本文',
  ko: '내용',
  zh: '内容',
};
export const whatLabel: LocalizedText = {
  en: 'what',
  de: 'was',
  fr: 'quoi',
  es: 'qué',
  pt: 'o-quê',
  ja: '対象',
  ko: '대상',
  zh: '范围',
};
export const whoLabel: LocalizedText = {
  en: 'who',
  de: 'wer',
  fr: 'qui',
  es: 'quién',
  pt: 'quem',
  ja: 'ユーザー',
  ko: '사용자',
  zh: '用户',
};
export const addLabel: LocalizedText = {
  en: 'Add',
  de: 'Hinzufügen',
  fr: 'Ajouter',
  es: 'Añadir',
  pt: 'Adicionar',
  ja: '追加',
  ko: '추가',
  zh: '添加',
};
export const whatToDoLabel: LocalizedText = {
  en: 'What to do',
  de: 'Was zu tun ist',
  fr: 'Que faire',
  es: 'Qué hacer',
  pt: 'O que fazer',
  ja: '操作',
  ko: '할 일',
  zh: '要做什么',
};
export const listLabel: LocalizedText = {
  en: 'List',
  de: 'Auflisten',
  fr: 'Lister',
  es: 'Listar',
  pt: 'Listar',
  ja: '一覧',
  ko: '목록',
  zh: '列出',
};
export const showLabel: LocalizedText = {
  en: 'Show',
  de: 'Zeigen',
  fr: 'Montrer',
  es: 'Mostrar',
  pt: 'Mostrar',
  ja: '表示',
  ko: '보기',
  zh: '显示',
};
export const saveLabel: LocalizedText = {
  en: 'Save',
  de: 'Speichern',
  fr: 'Enregistrer',
  es: 'Guardar',
  pt: 'Salvar',
  ja: '保存',
  ko: '저장',
  zh: '保存',
};
export const removeLabel: LocalizedText = {
  en: 'Remove',
  de: 'Entfernen',
  fr: 'Supprimer',
  es: 'Quitar',
  pt: 'Remover',
  ja: '削除',
  ko: '삭제',
  zh: '删除',
};
export const privatelyLabel: LocalizedText = {
  en: 'private',
  de: 'privat',
  fr: 'privé',
  es: 'privado',
  pt: 'privado',
  ja: '非公開',
  ko: '비공개',
  zh: '私密',
};
export const helpLabel: LocalizedText = {
  en: 'help',
  de: 'hilfe',
  fr: 'aide',
  es: 'ayuda',
  pt: 'ajuda',
  ja: 'ヘルプ',
  ko: '도움말',
  zh: '帮助',
};
export const memoryLabel: LocalizedText = {
  en: 'memory',
  de: 'gedächtnis',
  fr: 'mémoire',
  es: 'memoria',
  pt: 'memória',
  ja: 'メモリ',
  ko: '기억',
  zh: '记忆',
};
export const factLabel: LocalizedText = {
  en: 'fact',
  de: 'fakt',
  fr: 'fait',
  es: 'dato',
  pt: 'fato',
  ja: '番号',
  ko: '번호',
  zh: '编号',
};
export const deleteLabel: LocalizedText = {
  en: 'Delete',
  de: 'Löschen',
  fr: 'Supprimer',
  es: 'Eliminar',
  pt: 'Excluir',
  ja: '削除',
  ko: '삭제',
  zh: '删除',
};
export const csvLabel: LocalizedText = {
  en: 'csv',
  de: 'csv',
  fr: 'csv',
  es: 'csv',
  pt: 'csv',
  ja: 'csv',
  ko: 'csv',
  zh: 'csv',
};
export const csvHint: LocalizedText = {
  en: 'As a CSV file that you alone get',
  de: 'Als CSV-Datei, die nur du bekommst',
  fr: 'En fichier CSV, pour vous uniquement',
  es: 'Como archivo CSV, solo para ti',
  pt: 'Como arquivo CSV, só para você',
  ja: '自分だけに届く CSV ファイル',
  ko: '본인만 받는 CSV 파일',
  zh: '仅发给你本人的 CSV 文件',
};

/**
 * "Ignore the previous instructions" and similar sentences in other languages, in lower case. For languages without spaces
 * or with inflected words, a stem matches all forms.
 */
export const otherLanguages: readonly RegExp[] = [
  // German
  /(?:ignorier\w{0,40}|vergiss|vergessen|missachte\w{0,40}|überschreib\w{0,40})\b[^\n]{0,40}(?:anweisung|regel|befehl|instruktion|vorgabe|anordnung)/,
  /\b(?:hinweis|anweisung|nachricht) (?:an|für) (?:die|den|das) (?:ki|assistent|agent|sprachmodell)|\bdu bist (?:jetzt|nun|ab sofort)\b|\bfrag\w{0,40} (?:den|die) nutzer\w{0,40} nicht|ohne den nutzer|ab sofort (?:bist|antwort|wirst)/,
  // French
  /\b(?:ignor|oubli)(?:e|ez|er|ons)\b[^\n]{0,40}(?:instruction|consigne|r[eè]gle|directive)/,
  /\b(?:note|message|instructions?) pour l'(?:ia|assistant|agent)\b|\binvite syst[eè]me\b|\bne demande[zr]? pas[^\n]{0,30}utilisateur|\btu es (?:maintenant|désormais)\b/,
  // Spanish, Portuguese, Italian
  /\b(?:ignor[aei]\w{0,40}|olvid[ae]\w{0,40}|esque[cç]\w{0,40}|desconsider\w{0,40}|dimentic\w{0,40}|omit[ae]\w{0,40})[^\n]{0,40}(?:instrucciones|reglas|[oó]rdenes|instru[cç][oõ]es|regras|istruzioni|regole|indicaciones)/,
  /\b(?:nota|mensaje|mensagem|messaggio) (?:para|per) (?:la |a |l')?(?:ia|asistente|assistente)\b|\b(?:muestra|revela|mostre|revele|mostra)\b[^\n]{0,30}(?:prompt del sistema|variables de entorno|claves?\b|chave|prompt do sistema)|\bahora eres\b|\bagora você é\b|\bora sei\b/,
  // Dutch, Polish, Swedish
  /\b(?:negeer|vergeet)\b[^\n]{0,40}(?:instructies|regels|opdrachten)|\b(?:zignoruj|ignoruj|zapomnij)\b[^\n]{0,40}(?:instrukcj|zasad|polece)|\bignorera\b[^\n]{0,40}instruktion/,
  // Russian, Ukrainian
  /(?:игнориру|проигнориру|забудь|отбрось|ігнору|забудь)[^\n]{0,40}(?:инструкци|указани|правил|команд|інструкці|вказів)/,
  /(?:системн(?:ый|ого) промпт|покажи[^\n]{0,20}(?:промпт|инструкци|пароль)|теперь ты\b|ты теперь\b)/,
  // Turkish, Vietnamese, Indonesian
  /(?:talimat|kural|komut)\S{0,20}[^\n]{0,30}(?:yok say|görmezden|unut)|bỏ qua[^\n]{0,40}(?:hướng dẫn|chỉ thị|chỉ dẫn|lệnh)|\b(?:abaikan|lupakan)\b[^\n]{0,30}(?:instruksi|perintah|aturan)/,
  // Arabic, Hebrew, Hindi, Thai
  /تجاهل[^\n]{0,30}(?:التعليمات|الأوامر|القواعد|الاوامر)|התעלם[^\n]{0,30}(?:הוראות|פקודות|הנחיות)|निर्देश[^\n]{0,20}(?:अनदेखा|अनदेखी|भूल)|(?:เพิกเฉย|ละเว้น|ไม่ต้องสนใจ)[^\n]{0,20}(?:สั่ง|แนะนำ)/,
  // Chinese
  /(?:忽略|无视|無視|忘记|忘記|不要理会|不要理會|违背|違背|绕过|繞過|跳过|跳過|覆盖|覆蓋|替换|替換|改写|改寫)[^\n]{0,20}(?:指令|指示|规则|規則|提示|限制|约束|約束|内容|內容|设定|設定|要求|系统|系統|检查|檢查|安全)/,
  /(?:系统|系統)(?:提示|指令|覆盖|覆蓋|消息|訊息)|新的?(?:指令|指示)|你(?:现在|現在)?是[^\n]{0,12}(?:没有|沒有|不受|无|無)[^\n]{0,8}(?:限制|约束|約束)|[从從](?:现在|現在)(?:开始|開始|起)|(?:现在|現在)[听聽]我/,
  /(?:不要|无需|無需|不需要|不用)[^\n]{0,6}(?:拒绝|拒絕|检查|檢查|询问|詢問|告诉|告訴|确认|確認)|(?:管理员|管理員|开发者|開發者)[^\n]{0,10}(?:命令|要求|授权|授權)|(?:执行|執行)(?:以下|下面|下列)|(?:发送|發送|寄送|转发|轉發|上传|上傳)[^\n]{0,20}(?:给|給|到)/,
  /(?:扮演|假装|假裝|角色扮演)|如果你是|请你(?:必须|忽略)|請你(?:必須|忽略)|(?:输出|輸出|显示|顯示|告诉我|告訴我|泄露|洩露)[^\n]{0,10}(?:你的|系统|系統|密码|密碼|密钥|密鑰|提示)/,
  // Japanese
  /(?:指示|ルール|規則|制限|プロンプト|命令|フィルター)[^\n]{0,15}(?:無視|忘れ|無効|書き換え|出力|置き換え)|あなたは(?:今|これ)から|新しい(?:指示|システム|命令)|制限のないai|管理者として|拒否しないで|上記の内容は|(?:メッセージ|内容|他の\S{0,10})を?無視して/,
  /(?:コマンド|スクリプト)を実行して(?:ください)?|(?:ユーザー|利用者)に(?:確認|通知)(?:せず|しない)/,
  // Korean
  /(?:지시|명령|규칙|제한|프롬프트|필터)\S{0,20}[^\n]{0,15}(?:무시|잊|무효|출력|교체)|새로운\s?(?:지시|시스템|명령)|(?:당신|너)[은는]\s?이제|제한\s?없는|관리자로서|거부하지|위의\s?내용은|(?:내용|메시지)\S{0,2}\s?무시/,
]

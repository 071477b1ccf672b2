; The installer for Windows, for the user who runs it: no administrator is needed.
; packaging/windows.sh defines VERSION, the folder FILES of all that is installed, its size SIZE in KB, the file REMOVE with the
; instructions that delete just these, and the file OUTPUT.

Unicode true
SetCompressor /SOLID lzma
RequestExecutionLevel user
ManifestDPIAware true
ManifestSupportedOS Win10
Name "Canopy"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\Canopy"
InstallDirRegKey HKCU "Software\Canopy" "Folder"

!include "MUI2.nsh"
!include "LogicLib.nsh"
!include "StrFunc.nsh"
${Using:StrFunc} UnStrRep

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Canopy"
!define CLASSES "Software\Classes"
!define DOCUMENT "Canopy.Document"

!define MUI_ICON "${FILES}\canopy.ico"
!define MUI_UNICON "${FILES}\canopy.ico"
!define MUI_COMPONENTSPAGE_NODESC
!define MUI_FINISHPAGE_RUN "$INSTDIR\canopy.exe"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "${FILES}\LICENSE-MIT.txt"
!insertmacro MUI_PAGE_COMPONENTS
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"
!insertmacro MUI_LANGUAGE "PortugueseBR"
LangString RUNNING ${LANG_ENGLISH} "Canopy is open, or its folder is read-only. Close Canopy and try again."
LangString RUNNING ${LANG_GERMAN} "Canopy ist geöffnet, oder sein Ordner ist schreibgeschützt. Schließen Sie Canopy und versuchen Sie es noch einmal."
LangString RUNNING ${LANG_PORTUGUESEBR} "O Canopy está aberto ou sua pasta é somente leitura. Feche o Canopy e tente novamente."
LangString PROGRAM ${LANG_ENGLISH} "Canopy, its models and samples"
LangString PROGRAM ${LANG_GERMAN} "Canopy mit Modellen und Beispielen"
LangString PROGRAM ${LANG_PORTUGUESEBR} "Canopy, seus modelos e exemplos"
LangString OPENWITH ${LANG_ENGLISH} "Open documents with Canopy"
LangString OPENWITH ${LANG_GERMAN} "Dokumente mit Canopy öffnen"
LangString OPENWITH ${LANG_PORTUGUESEBR} "Abrir documentos com o Canopy"
LangString COMMAND ${LANG_ENGLISH} "The command canopy in terminals"
LangString COMMAND ${LANG_GERMAN} "Der Befehl canopy in Terminals"
LangString COMMAND ${LANG_PORTUGUESEBR} "O comando canopy em terminais"
LangString DOCUMENTS ${LANG_ENGLISH} "Document to translate"
LangString DOCUMENTS ${LANG_GERMAN} "Dokument zum Übersetzen"
LangString DOCUMENTS ${LANG_PORTUGUESEBR} "Documento para traduzir"
LangString LONGPATH ${LANG_ENGLISH} "The search path is too long to be changed; add $INSTDIR to it by hand."
LangString LONGPATH ${LANG_GERMAN} "Der Suchpfad ist zu lang, um geändert zu werden; fügen Sie $INSTDIR von Hand hinzu."
LangString LONGPATH ${LANG_PORTUGUESEBR} "O caminho de busca é longo demais para ser alterado; adicione $INSTDIR manualmente."

VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "Canopy"
VIAddVersionKey "FileDescription" "Installer of Canopy"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "The Canopy developers; MIT or Apache-2.0"

; Canopy appears in "Open with" of these files. It becomes the default of none.
!macro Endings DO
  ; Pages and plain text
  !insertmacro ${DO} "html"
  !insertmacro ${DO} "htm"
  !insertmacro ${DO} "xhtml"
  !insertmacro ${DO} "md"
  !insertmacro ${DO} "markdown"
  !insertmacro ${DO} "txt"
  !insertmacro ${DO} "text"
  ; Office
  !insertmacro ${DO} "docx"
  !insertmacro ${DO} "docm"
  !insertmacro ${DO} "dotx"
  !insertmacro ${DO} "dotm"
  !insertmacro ${DO} "pptx"
  !insertmacro ${DO} "pptm"
  !insertmacro ${DO} "potx"
  !insertmacro ${DO} "ppsx"
  !insertmacro ${DO} "xlsx"
  !insertmacro ${DO} "xlsm"
  !insertmacro ${DO} "xltx"
  !insertmacro ${DO} "odt"
  !insertmacro ${DO} "ott"
  !insertmacro ${DO} "ods"
  !insertmacro ${DO} "ots"
  !insertmacro ${DO} "odp"
  !insertmacro ${DO} "otp"
  ; Books, layout and PDF
  !insertmacro ${DO} "epub"
  !insertmacro ${DO} "idml"
  !insertmacro ${DO} "pdf"
  ; Bilingual files
  !insertmacro ${DO} "xlf"
  !insertmacro ${DO} "xliff"
  !insertmacro ${DO} "sdlxliff"
  !insertmacro ${DO} "mqxliff"
  !insertmacro ${DO} "mxliff"
  !insertmacro ${DO} "txlf"
  !insertmacro ${DO} "po"
  !insertmacro ${DO} "pot"
  !insertmacro ${DO} "xcstrings"
  !insertmacro ${DO} "csv"
  !insertmacro ${DO} "tsv"
  !insertmacro ${DO} "tab"
  ; Technical documentation
  !insertmacro ${DO} "dita"
  !insertmacro ${DO} "ditamap"
  !insertmacro ${DO} "bookmap"
  !insertmacro ${DO} "dbk"
  !insertmacro ${DO} "docbook"
  !insertmacro ${DO} "page"
  !insertmacro ${DO} "tex"
  !insertmacro ${DO} "latex"
  !insertmacro ${DO} "ltx"
  !insertmacro ${DO} "rst"
  !insertmacro ${DO} "rest"
  !insertmacro ${DO} "adoc"
  !insertmacro ${DO} "asciidoc"
  !insertmacro ${DO} "asc"
  ; Subtitles
  !insertmacro ${DO} "srt"
  !insertmacro ${DO} "vtt"
  !insertmacro ${DO} "ass"
  !insertmacro ${DO} "ssa"
  ; Strings of programs
  !insertmacro ${DO} "json"
  !insertmacro ${DO} "jsonc"
  !insertmacro ${DO} "arb"
  !insertmacro ${DO} "yaml"
  !insertmacro ${DO} "yml"
  !insertmacro ${DO} "strings"
  !insertmacro ${DO} "stringsdict"
  !insertmacro ${DO} "resx"
  !insertmacro ${DO} "resw"
  !insertmacro ${DO} "properties"
  !insertmacro ${DO} "ftl"
  !insertmacro ${DO} "xml"
  !insertmacro ${DO} "ts"
!macroend

!macro Register ENDING
  WriteRegStr HKCU "${CLASSES}\Applications\canopy.exe\SupportedTypes" ".${ENDING}" ""
  WriteRegStr HKCU "${CLASSES}\.${ENDING}\OpenWithProgids" "${DOCUMENT}" ""
!macroend

; What other programs have written beside it stays.
!macro Unregister ENDING
  DeleteRegValue HKCU "${CLASSES}\.${ENDING}\OpenWithProgids" "${DOCUMENT}"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.${ENDING}\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.${ENDING}"
!macroend

; A program that runs can be neither replaced nor deleted; with /S the exit code of the installer is 2 then.
!macro RefuseRunning UN
Function ${UN}RefuseRunning
  ${If} ${FileExists} "$INSTDIR\canopy.exe"
    ${Do}
      ClearErrors
      FileOpen $0 "$INSTDIR\canopy.exe" a
      ${IfNot} ${Errors}
        FileClose $0
        ${ExitDo}
      ${EndIf}
      ${If} ${Cmd} `MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(RUNNING)" /SD IDCANCEL IDCANCEL`
        Abort
      ${EndIf}
    ${Loop}
  ${EndIf}
FunctionEnd
!macroend
!insertmacro RefuseRunning ""
!insertmacro RefuseRunning "un."

Section "$(PROGRAM)" Program
  SectionIn RO
  Call RefuseRunning
  ; What an older version has brought and this one has not would stay.
  ReadRegStr $0 HKCU "Software\Canopy" "Folder"
  ${If} $0 == $INSTDIR
    ExecWait '"$INSTDIR\uninstall.exe" /S _?=$INSTDIR'
  ${EndIf}
  SetOutPath "$INSTDIR"
  File /r "${FILES}\*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  WriteRegStr HKCU "Software\Canopy" "Folder" "$INSTDIR"
  CreateShortcut "$SMPROGRAMS\Canopy.lnk" "$INSTDIR\canopy.exe"
  ; "canopy" in the dialog Run and in the address bar of Explorer
  WriteRegStr HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\canopy.exe" "" "$INSTDIR\canopy.exe"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Canopy"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The Canopy developers"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\canopy.exe"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" ${SIZE}
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
SectionEnd

Section "$(OPENWITH)" OpenWith
  WriteRegStr HKCU "${CLASSES}\${DOCUMENT}" "" "$(DOCUMENTS)"
  WriteRegStr HKCU "${CLASSES}\${DOCUMENT}\shell\open" "FriendlyAppName" "Canopy"
  WriteRegStr HKCU "${CLASSES}\${DOCUMENT}\shell\open\command" "" '"$INSTDIR\canopy.exe" "%1"'
  WriteRegStr HKCU "${CLASSES}\Applications\canopy.exe" "FriendlyAppName" "Canopy"
  WriteRegStr HKCU "${CLASSES}\Applications\canopy.exe\shell\open\command" "" '"$INSTDIR\canopy.exe" "%1"'
  !insertmacro Endings Register
  Call RefreshExplorer
SectionEnd

; A search path that is longer than a string of NSIS is left alone.
Section "$(COMMAND)" Command
  ClearErrors
  ReadRegStr $0 HKCU "Environment" "Path"
  ${If} ${Errors}
    Call HasPath
    Pop $1
    ${If} $1 == 1
      DetailPrint "$(LONGPATH)"
      Return
    ${EndIf}
  ${EndIf}
  StrLen $1 "$0;$INSTDIR"
  ${If} $1 >= ${NSIS_MAX_STRLEN}
    DetailPrint "$(LONGPATH)"
    Return
  ${EndIf}
  Push "$0;"
  Push "$INSTDIR;"
  Call Contains
  Pop $1
  ${If} $1 == 0
    ${If} $0 == ""
      WriteRegExpandStr HKCU "Environment" "Path" "$INSTDIR"
    ${Else}
      WriteRegExpandStr HKCU "Environment" "Path" "$0;$INSTDIR"
    ${EndIf}
    SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
  ${EndIf}
SectionEnd

; Whether the user has a search path: 1 or 0 on the stack.
Function HasPath
  StrCpy $2 0
  ${Do}
    ClearErrors
    EnumRegValue $3 HKCU "Environment" $2
    ${If} $3 == ""
      Push 0
      Return
    ${EndIf}
    ${If} $3 == "Path"
      Push 1
      Return
    ${EndIf}
    IntOp $2 $2 + 1
  ${Loop}
FunctionEnd

; Takes a text and a part of it off the stack; 1 if it contains the part, else 0.
Function Contains
  Exch $2
  Exch
  Exch $3
  Push $4
  Push $5
  Push $6
  StrLen $4 $2
  StrCpy $5 0
  ${Do}
    StrCpy $6 $3 $4 $5
    ${If} $6 == $2
      StrCpy $2 1
      ${ExitDo}
    ${EndIf}
    ${If} $6 == ""
      StrCpy $2 0
      ${ExitDo}
    ${EndIf}
    IntOp $5 $5 + 1
  ${Loop}
  Pop $6
  Pop $5
  Pop $4
  Pop $3
  Exch $2
FunctionEnd

Function RefreshExplorer
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
FunctionEnd

Function un.RefreshExplorer
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
FunctionEnd

; Projects, settings and models that the user has added stay; so does what else lies in the folder.
Section "Uninstall"
  Call un.RefuseRunning
  !include "${REMOVE}"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\Canopy.lnk"
  !insertmacro Endings Unregister
  DeleteRegKey HKCU "${CLASSES}\${DOCUMENT}"
  DeleteRegKey HKCU "${CLASSES}\Applications\canopy.exe"
  DeleteRegKey HKCU "Software\Microsoft\Windows\CurrentVersion\App Paths\canopy.exe"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Canopy"
  ClearErrors
  ReadRegStr $0 HKCU "Environment" "Path"
  ${IfNot} ${Errors}
    ${UnStrRep} $1 "$0;" "$INSTDIR;" ""
    StrCpy $2 $1 1 -1
    ${If} $2 == ";"
      StrCpy $1 $1 -1
    ${EndIf}
    ${If} $1 != $0
      WriteRegExpandStr HKCU "Environment" "Path" $1
      SendMessage ${HWND_BROADCAST} ${WM_SETTINGCHANGE} 0 "STR:Environment" /TIMEOUT=2000
    ${EndIf}
  ${EndIf}
  Call un.RefreshExplorer
SectionEnd

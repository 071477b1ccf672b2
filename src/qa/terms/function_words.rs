//! Words with which no term begins or ends, of a few languages.

const ENGLISH: &str = "a about above across after again all allow allows along also although always an and another any are \
    as at automatically available based be because been before being below between both but by can cannot choose chosen \
    click clicked contain contains could create created default did different displayed displays do does done double down \
    during each either else enable enabled enter etc even every example first following follows for from function get give \
    given go had has have he her here his how however i if in including insert inserted into is it its itself just last less \
    let like made make many may might more most must need never new next no none nor not note now of off on once one only \
    open opens or order other otherwise our out over own per please possible press provides same see select selected selects \
    set several she should show shown shows since so some specified specifies specify still such than that the their them \
    then there these they this those through to too two under until up upon us use used user users uses using value want was \
    way we were what when where whether which while who whose why will with within without would you your";

const GERMAN: &str = "ab aber alle allem allen aller alles als also am an ander andere anderen anderer angezeigt auch auf aus \
    ausgewählt ausgewählten automatisch bei beim bereits bestimmt bestimmte bestimmten beziehungsweise bis bzw da dabei dadurch \
    daher damit dann daran darauf das dass dazu dem den denen denn der deren des dessen die dies diese diesem diesen dieser \
    dieses doch dort durch ein eine einem einen einer eines einige entsprechend entsprechende er erst es etwa falls folgende \
    folgenden für geben geht gibt haben hat hier hinter ihr ihre ihrem ihren ihrer im immer in indem innerhalb ins ist ja je \
    jede jedem jeden jeder jedes jedoch kann kein keine keinen klicken können legt man mehr mehrere mit möchten muss müssen \
    nach neben neue neuen nicht noch nun nur ob oder ohne sehr sein seine seinem seinen seiner sich sie siehe sind so sobald \
    sofern sollen sollte sondern soll sowie standardmäßig steht um und uns unter verschiedene verschiedenen verwendet \
    verwenden vom von vor wählen während was weitere weiteren welche welchen wenn werden wie wieder wird wo wodurch wurde \
    wurden z.b zu zum zur zwei zwischen über öffnen öffnet";

const FRENCH: &str = "à afin ainsi alors après au aucun aussi autre autres aux avant avec avez car ce ceci cela celle celui \
    ces cet cette ceux chaque choisissez cliquez comme comment contre dans de depuis des deux dont du elle elles en encore \
    entre est et été être eux fait il ils je la le les leur leurs lors lorsque lui mais même ne ni non nos notre nous on ont \
    ou où par parmi pas pendant peut peuvent plus plusieurs pour pouvez qu quand que quel quelle qui sa sans se sera ses si \
    soit son sont sous sur ta te tous tout toute toutes très tu un une utilisez vers vos votre vous";

const SPANISH: &str = "a al algo algunas algunos ante antes así aunque bajo cada como con contra cual cuando de del desde \
    después donde dos e el ella ellas ellos en entre era es esa esas ese eso esos esta está están estas este esto estos ha \
    haga hasta hay la las le les lo los más me mediante mi mientras muy ni no nos o otra otras otro otros para pero por \
    porque puede pueden que qué se sea ser si sí sin sobre son su sus también tan te tiene todo todos tras tu tus u un una \
    unas uno unos usted ya y";

/// Whether a word in lower case is one of a language's function words; where there is no list, those of up to three letters.
pub(super) fn is_function_word(language: &str, word: &str) -> bool {
    let code = language.split(['-', '_']).next().unwrap_or_default();
    let list = match code {
        "en" => ENGLISH,
        "de" => GERMAN,
        "fr" => FRENCH,
        "es" => SPANISH,
        _ => return word.chars().count() <= 3 && word.is_ascii(),
    };
    list.split_ascii_whitespace().any(|other| other == word)
}

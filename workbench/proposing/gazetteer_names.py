"""First names, written from general knowledge; casefolded. Russian ones are looked up by stem."""

from __future__ import annotations

from functools import lru_cache

from workbench.proposing.lexicon import stem, words

_LATIN = words(
    """aaron abdul abdullah abigail abraham adam adrian agnes ahmad ahmed aidan alan albert aldo alec
    alejandro aleksandr aleksander alex alexander alexandra alexei alexey alexis alfonso alfred ali alice
    alison allan allen amanda amy ana anastasia anatoly anders andré andrea andreas andrei andrew andrey
    andy angel angela angus anita ann anna anne annie anthony antoine anton antonio archibald armand
    arnold arthur arturo ashley astrid audrey august augustus barbara barack barbra barry bartholomew
    basil beatrice ben benedict benjamin bernard bernhard bert bertrand beth betty bill billy bob bobby
    boris brad bradley brandon brenda brett brian bruce bruno bryan caleb calvin camille carl carla carlo
    carlos carmen carol caroline carolyn carter catherine cecil charles charlie charlotte chester chloe
    chris christian christina christine christoph christopher cindy claire clara clarence clark claude
    claudia clement clifford clint colin connor conrad constantine craig curtis cynthia cyril dale damian
    damon dan daniel daniela danny darren dave david dean deborah denis dennis derek diana diane diego
    dieter dimitri dmitri dmitry dolores dominic don donald donna dora doris dorothy doug douglas duncan
    dustin dwight dylan earl eddie edgar edith edmund eduard eduardo edward edwin eileen elaine eleanor
    elena eli elias elizabeth elisabeth ella ellen elliot elmer elsa elvis emanuel emil emily emma enrico
    enrique eric erica erich erik ernest ernst erwin ethan ethel eugene eva evan eve evelyn fabian felipe
    felix ferdinand fernando fidel fiona florence floyd frances francesca francesco francis francisco
    franck frank franklin franz fred frederic frederick friedrich fritz gabriel gareth gary gavin gene
    geoffrey george georges georg gerald gerard gerhard gert gilbert giles gillian giovanni giulio
    giuseppe glen glenn gloria gordon grace graham grant greg gregory greta guido guillaume günter
    günther gustav guy gwen hannah hans harold harriet harry harvey hassan heather hector heinrich heinz
    helen helena helga helmut henri henrik henry herbert herman hermann hilary hilda homer horace horst
    howard hubert hugh hugo humphrey hussein ian ibrahim ida igor ilya immanuel ingrid irene iris irina
    isaac isabel isabella isaiah ivan jack jackie jackson jacob jacqueline jacques jaime jakob jamal
    james jamie jan jane janet janis jared jason javier jean jeff jeffrey jennifer jenny jeremiah jeremy
    jerome jerry jesse jessica jill jim jimmy joan joanna joaquín joe joel johan johann johannes john
    johnny jon jonas jonathan jordan jorge josé josef joseph josephine joshua joyce juan judith judy
    julia julian julie juliet julio julius jürgen justin karen karin karl karla kate katherine kathleen
    kathryn katie kay keith kelly ken kenneth kevin khalid kim kirk klaus konrad konstantin kristen
    kristin kurt kyle lance larry lars laura lauren laurence lawrence lea leah lee leo leon leonard
    leonardo leonid leopold leroy leslie lester lewis liam lillian linda lionel lisa liz lloyd lois
    lorenzo lorraine louis louisa louise luca lucas lucia lucy luigi luis luke luther lydia lyndon lynn
    madeleine magnus mahmoud malcolm manfred manuel marc marcel marcello marco marcus margaret margarita
    maria marie marilyn mario marion mark marlene marshall martha martin martina marvin mary mason mateo
    matthew matthias maureen maurice max maximilian maxim maxwell megan mehmet melanie melissa mercedes
    meredith michael michel michele michelle miguel mike mikhail milan miles milton miriam mohamed
    mohammad mohammed moritz morris moses muhammad mustafa nadia nancy naomi napoleon natalia natalie
    nathan nathaniel neil nelson nicholas nick nicola nicolas nicole nigel nikita nikola nikolai nikolaus
    nina noah noel nora norman olaf oleg olga oliver olivia omar oscar oskar otto pablo paloma pamela
    paolo pascal patricia patrick paul paula pauline pavel pearl pedro peggy penelope percy perry pete
    peter petra phil philip philipp philippe phillip phoebe pierre pietro quentin rachel rafael rainer
    ralph ramón randolph randy raoul raphael rashid raúl ray raymond rebecca reginald reinhard rené
    ricardo richard rick rita robert roberto robin rod roderick rodney rodrigo roger roland rolf roman
    ronald ronnie rosa rosalind rose rosemary ross roy rubén rudolf rudolph rudy rupert russell ruth ryan
    sabine sally salvador sam samantha samuel sandra sandro sara sarah saul scott sean sebastian serena
    serge sergei sergey sergio seth shane shannon sharon sheila shirley sidney siegfried sigmund silvia
    silvio simon simone sofia solomon sonia sophia sophie spencer stan stanislav stanley stefan stella
    stephanie stephen steve steven stewart stuart sue susan svetlana sven sylvia tamara tanya tatiana ted
    terence teresa terry thea theodor theodore theresa thomas tiffany tim timothy tina todd tom tomás
    tommy toni tony tracy trevor tristan tyler ulrich ulysses umberto ursula uwe vadim valentin valentina
    valerie vanessa vasily vera vernon veronica victor victoria viktor vince vincent vincenzo virginia
    vitaly vivian vladimir vladislav walter warren wayne wendy werner wesley wilfred wilfrid wilfried
    wilhelm will willi william willie winston wolfgang woodrow yasser yolanda yuri yves yvonne zachary
    zoe mao xi deng sun chiang kofi nelson desmond indira jawaharlal rajiv sonia narendra raj amit rahul
    anil sanjay vijay ravi arun ashok lakshmi priya hiroshi kenji takashi yuki akira haruki shinzo
    junichiro"""
)
_CYRILLIC = words(
    """абдула абрам август авраам адам адольф адриан азамат айдар алан алевтина александр александра алексей
    алекс алена алёна али алина алиса алла альберт альбина альфред амина анастасия анатолий ангела
    ангелина андрей андре анжела анна антон антонина антонио ариана аркадий арина арсен арсений артём
    артем артур асланбек афанасий ахмат ахмед барак башар бен бенджамин беньямин бернар билл богдан борис
    бронислав булат вадим валентин валентина валерий валерия ванесса варвара василий василиса вера
    вероника виктор виктория вильгельм вилли виталий владимир владислав владлен всеволод вячеслав гарри
    галина геннадий генри генрих георгий георг герард герман глеб гордон григорий грегори густав давид
    дайана далия даниил даниэль дарья демьян денис дженнифер джеймс джейн джек джефф джим джо джозеф джон
    джордж джулия джулиан диана дина дмитрий дональд доминик ева евгений евгения егор екатерина елена
    елизавета ефим жак жан жанна жером жорж захар зинаида зоя ибрагим иван игнат игорь изабелла илья илон
    инга инна иннокентий иоанн иосиф ираклий ирина исаак иса ия камила карл карла карлос катерина керри
    кеннет ким кира кирилл клара клаус клемент константин кондолиза кристина ксения лариса лев леван
    леонид леонард леонардо лидия лилия лиза линда лукас луи любовь людмила людвиг магомед мадина майкл
    майя макс максим максимилиан маргарет маргарита марат марина мария марио марк марта мартин матвей
    махмуд мигель мирон михаил михаэль михай михеил мохаммед муаммар муса мустафа надежда назар наполеон
    наталия наталья натали нелли нельсон никита николай николя николас нина нил нурсултан оксана олег
    олеся ольга оскар остап отто павел патрик педро петр пётр пол поль питер платон полина прохор рафаэль
    рамзан раиса раймонд ринат рихард ричард роберт родион роджер роза роман рональд ростислав руслан
    рустам сара саддам светлана святослав семён семен серафим сергей сильвио слободан софия софья
    станислав степан стив стивен сьюзан таисия тамара тарас татьяна тимофей тимур томас тони умар ульяна
    усама фаина фарид федор фёдор фелипе феликс фернандо фидель филипп франсуа франциск франк фрэнк
    фридрих хавьер ханс харви хасан хиллари хуан христина чарльз шамиль шарль эдвард эдуард элеонора
    элизабет элла эльвира эльдар эмиль эмма энтони эрик эрнест эрнст юлия юлий юрий юсуф яков ян яна януш
    ярослав"""
)

FIRST_LATIN = _LATIN
FIRST_CYRILLIC = frozenset(stem(name) for name in _CYRILLIC)


@lru_cache(maxsize=16384)
def is_first_name(word: str) -> bool:
    """Whether a word as it stands in a text, or the first half of a hyphenated one, is a known first name."""
    folded = word.casefold()
    if word.islower():
        return False
    if folded in FIRST_LATIN:
        return True
    if "\u0400" <= folded[:1] < "\u0530":
        return stem(folded) in FIRST_CYRILLIC
    head, _, tail = folded.partition("-")
    return bool(tail) and head in FIRST_LATIN

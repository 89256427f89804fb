import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A record may have more values than a word has bits")
struct ManyValuesTests {
  private final class Many: Controller, StateRestoring {
    var reads: [Int] = []
    var writes: [Int] = []
    var values: [Int: Int] = [:]
    @Restorable("p") var property = 0

    func encodeRestorableState(with coder: StateEncoder) throws {
      for key in writes { try coder.encode(values[key] ?? key, for: StateKey("m\(key)")) }
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      for key in reads { values[key] = try coder.decode(StateKey<Int>("m\(key)")) }
    }
  }

  private static func launch(
    _ archive: StateArchive?, reads: [Int]
  ) throws -> (Application, Many, Restoration) {
    let many = Many()
    many.reads = reads
    let (app, restoration) = try launched(many, "many", from: archive)
    return (app, many, restoration)
  }

  @Test(
    "What is not read is kept and what is not written again goes, whatever its number",
    arguments: [3, 62, 63, 64, 65, 200])
  func methods(count: Int) throws {
    let (app, many, restoration) = try Self.launch(nil, reads: [])
    many.writes = Array(0..<count)
    many.property = 7
    let first = restoration.archive(of: app)
    for read in Set([0, 1, 61, 62, 63, 64, count - 2, count - 1]).sorted() where read < count {
      let (secondApp, second, saving) = try Self.launch(first, reads: [read])
      // The value that was read is not encoded again, so the next save omits it. The other values
      // stay.
      var archive = saving.archive(of: secondApp)
      for _ in 0..<2 {
        let (_, third, _) = try Self.launch(archive, reads: Array(0..<count))
        #expect(third.values[read] == nil)
        #expect(third.values.count == count - 1, "\(count) values, of which \(read) was read")
        #expect(third.property == 7)
        second.writes = []
        second.invalidateRestorableState()
        archive = saving.archive(of: secondApp)
      }
    }
  }

  @Test("What methods wrote and write no more goes, and what they never read stays")
  func conditional() throws {
    let (app, many, restoration) = try Self.launch(nil, reads: [])
    many.writes = Array(0..<150)
    let first = restoration.archive(of: app)
    let (secondApp, second, saving) = try Self.launch(first, reads: [])
    second.writes = Array(0..<100)
    _ = saving.archive(of: secondApp)
    second.writes = Array(0..<10)
    let (_, third, _) = try Self.launch(saving.archive(of: secondApp), reads: Array(0..<150))
    #expect(third.values.keys.sorted() == Array(0..<10) + Array(100..<150))
    #expect(third.property == 0)
  }

  @Test("A value that methods have written as it was is theirs from then on")
  func writtenAsBefore() throws {
    let (app, many, restoration) = try Self.launch(nil, reads: [])
    many.writes = [0, 1, 2]
    let first = restoration.archive(of: app)
    let (secondApp, second, saving) = try Self.launch(first, reads: [])
    second.writes = [0, 1, 2]
    second.invalidateRestorableState()
    #expect(saving.archive(of: secondApp, asksAll: false) == first)
    second.writes = [0, 1]
    second.invalidateRestorableState()
    let (_, third, _) = try Self.launch(
      saving.archive(of: secondApp, asksAll: false), reads: [0, 1, 2])
    #expect(third.values.keys.sorted() == [0, 1])
  }

  @Test("A property that its class has not used yet is kept beside many values of methods")
  func unknownProperty() throws {
    final class Old: Controller, StateRestoring {
      @Restorable("zz") var last = 0
      func encodeRestorableState(with coder: StateEncoder) throws {
        for key in 0..<100 { try coder.encode(key, for: StateKey("m\(key)")) }
      }
      func decodeRestorableState(with coder: StateDecoder) throws {}
    }
    final class New: Controller, StateRestoring {
      @Restorable("zz") var last = 0
      func encodeRestorableState(with coder: StateEncoder) throws {
        for key in 0..<100 { try coder.encode(key, for: StateKey("m\(key)")) }
      }
      func decodeRestorableState(with coder: StateDecoder) throws {
        for key in 0..<100 { _ = try coder.decode(StateKey<Int>("m\(key)")) }
      }
    }
    let old = Old()
    let (app, restoration) = try launched(old, "it")
    old.last = 5
    var archive = restoration.archive(of: app)
    for _ in 0..<3 {
      let (nextApp, next) = try launched(New(), "it", from: archive)
      _ = next.archive(of: nextApp)
      archive = next.archive(of: nextApp)
    }
    let last = New()
    try launched(last, "it", from: archive)
    #expect(last.last == 5)
  }

  private final class Wide: Controller {
    @Restorable("00") var p00 = 0
    @Restorable("01") var p01 = 0
    @Restorable("02") var p02 = 0
    @Restorable("03") var p03 = 0
    @Restorable("04") var p04 = 0
    @Restorable("05") var p05 = 0
    @Restorable("06") var p06 = 0
    @Restorable("07") var p07 = 0
    @Restorable("08") var p08 = 0
    @Restorable("09") var p09 = 0
    @Restorable("10") var p10 = 0
    @Restorable("11") var p11 = 0
    @Restorable("12") var p12 = 0
    @Restorable("13") var p13 = 0
    @Restorable("14") var p14 = 0
    @Restorable("15") var p15 = 0
    @Restorable("16") var p16 = 0
    @Restorable("17") var p17 = 0
    @Restorable("18") var p18 = 0
    @Restorable("19") var p19 = 0
    @Restorable("20") var p20 = 0
    @Restorable("21") var p21 = 0
    @Restorable("22") var p22 = 0
    @Restorable("23") var p23 = 0
    @Restorable("24") var p24 = 0
    @Restorable("25") var p25 = 0
    @Restorable("26") var p26 = 0
    @Restorable("27") var p27 = 0
    @Restorable("28") var p28 = 0
    @Restorable("29") var p29 = 0
    @Restorable("30") var p30 = 0
    @Restorable("31") var p31 = 0
    @Restorable("32") var p32 = 0
    @Restorable("33") var p33 = 0
    @Restorable("34") var p34 = 0
    @Restorable("35") var p35 = 0
    @Restorable("36") var p36 = 0
    @Restorable("37") var p37 = 0
    @Restorable("38") var p38 = 0
    @Restorable("39") var p39 = 0
    @Restorable("40") var p40 = 0
    @Restorable("41") var p41 = 0
    @Restorable("42") var p42 = 0
    @Restorable("43") var p43 = 0
    @Restorable("44") var p44 = 0
    @Restorable("45") var p45 = 0
    @Restorable("46") var p46 = 0
    @Restorable("47") var p47 = 0
    @Restorable("48") var p48 = 0
    @Restorable("49") var p49 = 0
    @Restorable("50") var p50 = 0
    @Restorable("51") var p51 = 0
    @Restorable("52") var p52 = 0
    @Restorable("53") var p53 = 0
    @Restorable("54") var p54 = 0
    @Restorable("55") var p55 = 0
    @Restorable("56") var p56 = 0
    @Restorable("57") var p57 = 0
    @Restorable("58") var p58 = 0
    @Restorable("59") var p59 = 0
    @Restorable("60") var p60 = 0
    @Restorable("61") var p61 = 0
    @Restorable("62") var p62 = 0
    @Restorable("63") var p63 = 0
    @Restorable("64") var p64 = 0
    @Restorable("65") var p65 = 0
    @Restorable("66") var p66 = 0
    @Restorable("67") var p67 = 0
    @Restorable("68") var p68 = 0
    @Restorable("69") var p69 = 0
  }

  @Test("An edit of one of seventy properties is no edit of the others")
  func properties() throws {
    func launch(_ archive: StateArchive?) throws -> (Application, Wide, Restoration) {
      let wide = Wide()
      let (app, restoration) = try launched(wide, "wide", from: archive)
      return (app, wide, restoration)
    }
    let (app, wide, restoration) = try launch(nil)
    wide.p00 = 1
    wide.p63 = 2
    wide.p64 = 3
    wide.p69 = 4
    let (nextApp, next, saving) = try launch(restoration.archive(of: app))
    next.p65 = 9
    next.p01 = 8
    var archive = saving.archive(of: nextApp, asksAll: false)
    for _ in 0..<2 {
      let (_, last, _) = try launch(archive)
      #expect([last.p00, last.p01, last.p63, last.p64, last.p65, last.p69] == [1, 8, 2, 3, 9, 4])
      archive = saving.archive(of: nextApp)
    }
  }
}
